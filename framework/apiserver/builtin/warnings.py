"""What the server takes but warns about."""

from collections.abc import Iterator

from apis.meta.quantity import parse_quantity
from framework.apiserver.builtin.validation import names
from framework.apiserver.objects import Object

Warnings = Iterator[str]
_NANO = 10**9
_BYTES = ("memory", "ephemeral-storage")


def name_warnings(obj: Object, use: str) -> Warnings:
    """Names with dots are allowed and make odd hostnames; said when an object is created."""
    metadata = obj["metadata"]
    if "resourceVersion" not in metadata and (problems := names.dns_label(metadata.get("name", ""))):
        listed = " ".join(problems)
        yield (
            f"metadata.name: this is used in {use}, which can result in surprising behavior; "
            f"a DNS label is recommended: [{listed}]"
        )


def pod_warnings(path: str, spec: Object) -> Warnings:
    """*path* is that of the spec."""
    containers = [
        (f"{path}.{field}[{position}]", container)
        for field in ("initContainers", "containers")
        for position, container in enumerate(spec.get(field) or ())
    ]
    yield from _secret_warnings(path, spec)
    for here, container in containers:
        yield from _amount_warnings(here, container)
        yield from _environment_warnings(here, container)
    yield from _port_warnings(containers)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        yield (
            f"{path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"
        )


def _secret_warnings(path: str, spec: Object) -> Warnings:
    seen: set[str] = set()
    for position, secret in enumerate(spec.get("imagePullSecrets", ())):
        name = secret.get("name", "")
        if name in seen:
            yield f'{path}.imagePullSecrets[{position}].name: duplicate name "{name}"'
        seen.add(name)
        if not name:
            yield f'{path}.imagePullSecrets[{position}].name: invalid empty name ""'


def _amount_warnings(path: str, container: Object) -> Warnings:
    for resource in _BYTES:
        for kind in ("limits", "requests"):
            amount = container.get("resources", {}).get(kind, {}).get(resource)
            if amount is not None and parse_quantity(amount).nanos % _NANO:
                field = f"{path}.resources.{kind}[{resource}]"
                yield f'{field}: fractional byte value "{amount}" is invalid, must be an integer'


def _environment_warnings(path: str, container: Object) -> Warnings:
    seen: set[str] = set()
    for position, variable in enumerate(container.get("env", ())):
        name, value = variable.get("name", ""), variable.get("value", "")
        own = f"$({name})"
        # A value that extends the earlier one does not hide it.
        if name in seen and ("valueFrom" in variable or value == own or own not in value):
            yield (
                f'{path}.env[{position}]: hides previous definition of "{name}", which may be dropped when using apply'
            )
        seen.add(name)


def _port_warnings(containers: list[tuple[str, Object]]) -> Warnings:
    ports = [
        (f"{path}.ports[{position}]", port)
        for path, container in containers
        for position, port in enumerate(container.get("ports", ()))
    ]
    for count, (field, port) in enumerate(ports):
        for other_field, other in ports[:count]:
            if all(port.get(part) == other.get(part) for part in ("containerPort", "protocol")):
                yield from _overlap(field, port, other_field, other)
    named: dict[str, str] = {}
    for field, port in ports:
        if name := port.get("name"):
            first = named.setdefault(name, field)
            if first != field:
                yield (
                    f'{field}: duplicate port name "{name}" with {first}, '
                    f"services and probes that select ports by name will use {first}"
                )


def _overlap(field: str, port: Object, other_field: str, other: Object) -> Warnings:
    same_address = port.get("hostIP", "") == other.get("hostIP", "")
    if same_address and port.get("hostPort", 0) == other.get("hostPort", 0):
        yield f"{field}: duplicate port definition with {other_field}"
    elif not port.get("hostPort") or not other.get("hostPort"):
        yield f"{field}: overlapping port definition with {other_field}"


def service_warnings(spec: Object) -> Warnings:
    is_headless, is_external = spec.get("clusterIP") == "None", spec.get("type") == "ExternalName"
    if is_headless:
        for field in ("loadBalancerIP", "externalIPs"):
            if spec.get(field):
                yield f"spec.{field} is ignored for headless services"
        if spec.get("sessionAffinity") != "None":
            yield "spec.SessionAffinity is ignored for headless services"
    if spec.get("externalIPs") and not is_headless and not is_external:
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if is_external and spec.get("externalIPs"):
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if not is_external and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
