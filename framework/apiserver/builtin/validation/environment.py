"""Environment variables of containers."""

from collections.abc import Sequence

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.fields import invalid_value, required, unsupported
from framework.apiserver.objects import Object

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
# Known to the conversion of labels, but not as the value of a variable.
_OTHER_FIELDS = ("metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName", "status.phase")
_AMOUNTS = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")


def environment(path: str, variables: Sequence[Object]) -> Errors:
    for position, variable in enumerate(variables):
        here = f"{path}[{position}]"
        name = variable.get("name", "")
        if not name:
            yield required(f"{here}.name")
        else:
            yield from each(f"{here}.name", name, names.environment_name(name))
        if (source := variable.get("valueFrom")) is not None:
            yield from _source(f"{here}.valueFrom", source, has_value=bool(variable.get("value")))


def _source(path: str, source: Object, *, has_value: bool) -> Errors:
    given = [name for name in _SOURCES if name in source]
    for name in given:
        yield from _reference(f"{path}.{name}", name, source[name])
    if not given:
        detail = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        )
        yield invalid_value(path, "", detail)
    elif has_value:
        yield invalid_value(path, "", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield invalid_value(path, "", "may not have more than one field specified at a time")


def _reference(path: str, name: str, reference: Object) -> Errors:
    if name == "fieldRef":
        yield from _field(path, reference)
    elif name == "resourceFieldRef":
        amount = reference.get("resource", "")
        if not amount:
            yield required(f"{path}.resource")
        elif amount not in _AMOUNTS and not amount.startswith(_HUGE_PAGES):
            yield unsupported(f"{path}.resource", amount, _AMOUNTS)
    elif name != "fileKeyRef":
        yield from each(f"{path}.name", reference.get("name", ""), names.dns_subdomain(reference.get("name", "")))
        key = reference.get("key", "")
        if not key:
            yield required(f"{path}.key")
        else:
            yield from each(f"{path}.key", key, names.config_key(key))


def _field(path: str, reference: Object) -> Errors:
    field = reference.get("fieldPath", "")
    if not field:
        yield required(f"{path}.fieldPath")
        return
    name, bracket, rest = field.partition("[")
    if bracket and name in {"metadata.annotations", "metadata.labels"}:
        key = rest.strip("']").lower() if name == "metadata.annotations" else rest.strip("']")
        yield from each(path, key, names.qualified_name(key))
    elif field not in _FIELDS and field not in _OTHER_FIELDS:
        detail = f"error converting fieldPath: field label not supported: {field}"
        yield invalid_value(f"{path}.fieldPath", field, detail)
    elif field not in _FIELDS:
        yield unsupported(f"{path}.fieldPath", field, _FIELDS)


def environment_sources(path: str, sources: Sequence[Object]) -> Errors:
    for position, source in enumerate(sources):
        here = f"{path}[{position}]"
        if prefix := source.get("prefix"):
            yield from each(f"{here}.prefix", prefix, names.environment_name(prefix))
        given = [name for name in ("configMapRef", "secretRef") if name in source]
        for name in given:
            target = source[name].get("name", "")
            if not target:
                yield required(f"{here}.{name}.name")
            else:
                yield from each(f"{here}.{name}.name", target, names.dns_subdomain(target))
        if not given:
            yield invalid_value(path, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield invalid_value(path, "", "may not have more than one field specified at a time")
