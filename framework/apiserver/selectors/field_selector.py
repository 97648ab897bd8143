"""Reads field selectors: `metadata.name=x,spec.job!=y`."""

import re
from collections.abc import Callable, Sequence

import msgspec

from framework.apiserver.resource import Resource
from framework.apiserver.status import bad_request

# A comma separates terms unless a backslash stands before it; a backslash escapes whatever follows.
_TERM = re.compile(r"(?:\\.|[^\\,])*\\?", re.DOTALL)
_OPERATOR = re.compile("!=|==|=")
_ESCAPES = re.compile(r"\\(.?)|([,=])", re.DOTALL)

_METADATA = ("metadata.name", "metadata.namespace")
# Kinds of the core groups whose field selectors know more than the metadata; they word their refusal in their own way.
_SPECIAL_KINDS = frozenset({"Event", "Namespace", "Node", "Pod", "ReplicationController", "Secret", "Service"})
_WITHOUT_NAMESPACE = frozenset({"Namespace", "Node"})


class FieldTerm(msgspec.Struct, frozen=True):
    field: str
    value: str
    is_equal: bool


class FieldSelector(msgspec.Struct, frozen=True):
    """Matches the objects that meet every one of its terms."""

    terms: tuple[FieldTerm, ...] = ()

    @property
    def is_everything(self) -> bool:
        return not self.terms

    def matches(self, get: Callable[[str], str]) -> bool:
        """Whether the object fits whose fields *get* returns, "" for those that are not set."""
        return all((get(term.field) == term.value) == term.is_equal for term in self.terms)

    def requires(self, field: str) -> str | None:
        """The value that *field* has in every match, if there is only one."""
        return next((term.value for term in self.terms if term.is_equal and term.field == field), None)

    def check(self, resource: Resource) -> None:
        """BadRequest, worded as by the real server, if the kind cannot be selected by one of these fields."""
        for term in self.terms:
            if not _is_selectable(resource, term.field):
                raise bad_request(_refusal(resource, term.field))


def parse_field_selector(text: str) -> FieldSelector:
    """The selector that *text* describes; BadRequest, worded as by the real server, if it describes none."""
    terms = [_term(part, text) for part in sorted(_parts(text)) if part]
    # "=" alone asks for nothing of no field, and the real server drops it.
    return FieldSelector(tuple(term for term in terms if term.field or term.value))


def _parts(text: str) -> Sequence[str]:
    parts, position = [], 0
    while position <= len(text):
        match = _TERM.match(text, position)
        end = match.end() if match else position
        parts.append(text[position:end])
        position = end + 1
    return parts


def _term(part: str, text: str) -> FieldTerm:
    operator = _OPERATOR.search(part)
    if operator is None:
        raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
    value = _ESCAPES.sub(_unescaped, part[operator.end() :])
    return FieldTerm(part[: operator.start()], value, operator[0] != "!=")


def _unescaped(match: re.Match[str]) -> str:
    escaped, bare = match[1], match[2]
    if bare is not None:
        raise bad_request(f"invalid field selector: unescaped character in value: {ord(bare)}")
    if escaped not in ("\\", ",", "=") or not escaped:
        raise bad_request(f"invalid field selector: invalid escape sequence: \\{escaped}")
    return escaped


def _is_selectable(resource: Resource, field: str) -> bool:
    if field == "metadata.namespace":
        return resource.is_namespaced or not (_is_custom(resource) or resource.kind in _WITHOUT_NAMESPACE)
    return field == "metadata.name" or resource.strategy.is_selectable(field)


def _refusal(resource: Resource, field: str) -> str:
    if resource.kind == "Job" and resource.group == "batch":
        return f'field label "{field}" not supported for Job'
    if _is_custom(resource) or resource.kind in _SPECIAL_KINDS:
        return f"field label not supported: {field}"
    known = ", ".join(f'"{name}"' for name in _METADATA)
    return f'"{field}" is not a known field selector: only {known}'


def _is_custom(resource: Resource) -> bool:
    # Only built-in kinds have the Go types that strategic merge patches need.
    return resource.is_custom
