"""Defaults of services; addresses and ports are the allocator's."""

from framework.apiserver.objects import Object

_AFFINITY_SECONDS = 10800
_REACHED_FROM_OUTSIDE = {"NodePort", "LoadBalancer"}


def default_service_spec(spec: Object) -> None:
    spec.setdefault("sessionAffinity", "None")
    _default_affinity(spec)
    kind = spec.setdefault("type", "ClusterIP")
    for port in spec.get("ports", ()):
        if port.get("targetPort") in {None, 0, ""}:
            port["targetPort"] = port.get("port", 0)
    if kind in _REACHED_FROM_OUTSIDE or (kind == "ClusterIP" and spec.get("externalIPs")):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if kind != "ExternalName":
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if kind == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def _default_affinity(spec: Object) -> None:
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        config = spec.get("sessionAffinityConfig", {}).get("clientIP", {})
        if "timeoutSeconds" not in config:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}


def default_service(service: Object) -> None:
    if service.get("spec", {}).get("type") == "LoadBalancer":
        for ingress in service.get("status", {}).get("loadBalancer", {}).get("ingress", ()):
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")


SERVICE_DEFAULTS = {"core.v1.Service": default_service, "core.v1.ServiceSpec": default_service_spec}
