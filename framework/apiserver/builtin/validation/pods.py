"""Pods and the templates they are made from."""

from collections.abc import Sequence

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, one_of
from framework.apiserver.builtin.validation.containers import PodContext, containers, init_containers
from framework.apiserver.builtin.validation.selectors import labels
from framework.apiserver.builtin.validation.tolerations import tolerations
from framework.apiserver.builtin.validation.volumes import volumes
from framework.apiserver.fields import FieldError, duplicate, forbidden_field, invalid_value, required
from framework.apiserver.objects import Object

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_LONGEST_DEADLINE = 2**31 - 1


def pod_template(path: str, template: Object) -> Errors:
    metadata, spec = template.get("metadata", {}), template.get("spec", {})
    yield from labels(f"{path}.labels", metadata.get("labels", {}))
    for key in metadata.get("annotations", {}):
        yield from each(f"{path}.annotations", key, names.qualified_name(key.lower()))
    yield from pod_spec(f"{path}.spec", spec, is_pod=False)
    if spec.get("ephemeralContainers"):
        yield forbidden_field(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template")


def pod_spec(path: str, spec: Object, *, is_pod: bool) -> Errors:
    if "terminationGracePeriodSeconds" not in spec:
        yield required(f"{path}.terminationGracePeriodSeconds")
    of_volumes: list[FieldError] = []
    known = volumes(f"{path}.volumes", spec.get("volumes", ()), of_volumes)
    yield from of_volumes
    context = PodContext(known, spec.get("terminationGracePeriodSeconds", 0))
    regular, first = spec.get("containers") or (), spec.get("initContainers", ())
    yield from containers(f"{path}.containers", regular, context)
    yield from init_containers(f"{path}.initContainers", first, regular, context)
    if spec.get("hostNetwork"):
        yield from _host_network(f"{path}.containers", regular, is_pod=is_pod)
    yield from one_of(f"{path}.restartPolicy", spec.get("restartPolicy", ""), _RESTART_POLICIES)
    yield from one_of(f"{path}.dnsPolicy", spec.get("dnsPolicy", ""), _DNS_POLICIES)
    yield from labels(f"{path}.nodeSelector", spec.get("nodeSelector", {}))
    yield from _dns(f"{path}.dnsConfig", spec)
    yield from _gates(path, spec)
    yield from _names(path, spec)
    yield from tolerations(f"{path}.tolerations", spec.get("tolerations", ()))


def _host_network(path: str, regular: Sequence[Object], *, is_pod: bool) -> Errors:
    for position, container in enumerate(regular):
        for index, port in enumerate(container.get("ports", ())):
            host_port = port.get("hostPort", 0)
            if (is_pod or host_port) and host_port != port.get("containerPort"):
                field = f"{path}[{position}].ports[{index}].hostPort"
                yield invalid_value(field, host_port, "must match `containerPort` when `hostNetwork` is true")


def _dns(path: str, spec: Object) -> Errors:
    if spec.get("dnsPolicy") != "None":
        return
    if "dnsConfig" not in spec:
        yield required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
    elif not spec["dnsConfig"].get("nameservers"):
        detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
        yield required(f"{path}.nameservers", detail)


def _gates(path: str, spec: Object) -> Errors:
    for position, gate in enumerate(spec.get("readinessGates", ())):
        kind = gate.get("conditionType", "")
        yield from each(f"{path}.readinessGates[{position}].conditionType", kind, names.qualified_name(kind))
    seen: set[str] = set()
    for position, gate in enumerate(spec.get("schedulingGates", ())):
        field, name = f"{path}.schedulingGates[{position}]", gate.get("name", "")
        yield from each(field, name, names.qualified_name(name))
        if name in seen:
            yield duplicate(field, name)
        seen.add(name)


def _names(path: str, spec: Object) -> Errors:
    for field in ("serviceAccountName", "nodeName"):
        if value := spec.get(field):
            yield from each(f"{path}.{field}", value, names.dns_subdomain(value))
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _LONGEST_DEADLINE:
        yield invalid_value(f"{path}.activeDeadlineSeconds", deadline, names.out_of_range(1, _LONGEST_DEADLINE))
    for field in ("hostname", "subdomain"):
        if value := spec.get(field):
            yield from each(f"{path}.{field}", value, names.dns_label(value))
    for field in ("priorityClassName", "runtimeClassName"):
        if value := spec.get(field):
            yield from each(f"{path}.{field}", value, names.dns_subdomain(value))
