"""Groups that belong to the Kubernetes community need its approval."""

from framework.apiserver.fields import FieldError, invalid_value, required
from framework.apiserver.schema.definition.model import Definition

_ANNOTATION = "api-approved.kubernetes.io"
_PROTECTED = ("k8s.io", "kubernetes.io")
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"


def approval_errors(definition: Definition, old: Definition | None) -> list[FieldError]:
    group = definition.spec.group
    if not any(group == one or group.endswith(f".{one}") for one in _PROTECTED):
        return []
    state = _state(definition)
    if state in ("approved", "bypassed") or (old is not None and state == _state(old)):
        return []
    path = f"metadata.annotations[{_ANNOTATION}]"
    words = f'protected groups must have approval annotation "{_ANNOTATION}"'
    if state == "missing":
        return [required(path, f"{words}, {_SEE}")]
    detail = f'{words} with either a URL or a reason starting with "unapproved", {_SEE}'
    return [invalid_value(path, _annotation(definition), detail)]


def _annotation(definition: Definition) -> str:
    return (definition.metadata.annotations or {}).get(_ANNOTATION, "")


def _state(definition: Definition) -> str:
    annotation = _annotation(definition)
    if not annotation:
        return "missing"
    if annotation.startswith("unapproved"):
        return "bypassed"
    scheme, separator, rest = annotation.partition("://")
    return "approved" if scheme and separator and rest.split("/")[0] else "invalid"
