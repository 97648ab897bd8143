"""Defaults of pods and of the templates they are made from."""

from framework.apiserver.objects import Object


def default_pod_spec(spec: Object) -> None:
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    _agree_on_service_account(spec)


def _agree_on_service_account(spec: Object) -> None:
    # Two names for one thing: the newer one counts, both are shown.
    if name := spec.get("serviceAccountName") or spec.get("serviceAccount"):
        spec["serviceAccountName"] = spec["serviceAccount"] = name


def default_pod(pod: Object) -> None:
    """What pods have and templates do not."""
    spec = pod.setdefault("spec", {})
    spec.setdefault("enableServiceLinks", True)
    for container in (*(spec.get("containers") or ()), *spec.get("initContainers", ())):
        _request_what_is_limited(container.get("resources", {}))
        if spec.get("hostNetwork"):
            _use_ports_of_host(container)
    if resources := spec.get("resources"):
        _request_what_is_limited(resources)


def _request_what_is_limited(resources: Object) -> None:
    if limits := resources.get("limits"):
        resources["requests"] = {**limits, **resources.get("requests", {})}


def _use_ports_of_host(container: Object) -> None:
    for port in container.get("ports", ()):
        port.setdefault("hostPort", port.get("containerPort", 0))


POD_DEFAULTS = {"core.v1.Pod": default_pod, "core.v1.PodSpec": default_pod_spec}
