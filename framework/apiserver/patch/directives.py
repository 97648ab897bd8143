"""The keys with which a strategic merge patch says more than values."""

from typing import Any

from framework.errors import ApiError

DIRECTIVE = "$patch"
RETAIN_KEYS = "$retainKeys"
DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList"
SET_ELEMENT_ORDER = "$setElementOrder"


def field_named_by(directive: str, malformed: ApiError) -> str:
    """`finalizers` for `$deleteFromPrimitiveList/finalizers`."""
    prefix, slash, field = directive.partition("/")
    if not slash or prefix not in {DELETE_FROM_PRIMITIVE_LIST, SET_ELEMENT_ORDER}:
        raise malformed
    return field


def without_directives(value: Any) -> Any:
    """*value* without the objects that only say what to do; None if it is one of these itself.

    A null stays one as an element of a list; in an object it means that the field is not there.
    """
    if isinstance(value, dict):
        if DIRECTIVE in value:
            return None
        kept = {name: without_directives(member) for name, member in value.items()}
        return {name: member for name, member in kept.items() if member is not None}
    if isinstance(value, list):
        return [without_directives(member) for member in value if not _is_directive(member)]
    return value


def _is_directive(value: Any) -> bool:
    return isinstance(value, dict) and DIRECTIVE in value
