"""Whether a value fits its type, in the words of the real server."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.go_text import go_source, go_text, go_type
from framework.apiserver.managedfields.elements import spelled
from framework.apiserver.managedfields.node import Form, ListType, MapType, Node, Scalar
from framework.apiserver.managedfields.values import BadValue, item_element

_FITS: Mapping[Scalar, type | tuple[type, ...]] = {
    Scalar.NUMBER: (int, float),
    Scalar.TEXT: str,
    Scalar.TRUTH: bool,
    Scalar.ANY: (str, int, float),
}


def validate(node: Node, value: Any, *, allows_duplicates: bool = False) -> None:
    """Raise BadValue if *value* cannot be of the type *node*; its text names all that is wrong."""
    errors = _Validator(allows_duplicates=allows_duplicates).errors(node, value)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BadValue("\n".join(["errors:", *(f"  {error}" for error in errors)]))


class _Validator:
    def __init__(self, *, allows_duplicates: bool) -> None:
        self._allows_duplicates = allows_duplicates

    def errors(self, node: Node, value: Any) -> Sequence[BadValue]:
        form = node.only or node.form_of(value)
        if form is Form.SCALAR and node.scalar is not None:
            return _of_scalar(node.scalar, value)
        if form is Form.MAP and node.map_type is not None:
            return self._of_map(node.map_type, value)
        if form is Form.LIST and node.list_type is not None:
            return self._of_list(node.list_type, value)
        return [BadValue("schema error: invalid atom: inlined")]

    def _of_map(self, map_type: MapType, value: Any) -> Sequence[BadValue]:
        if value is None:
            return ()
        if not isinstance(value, dict):
            return [BadValue(f"expected map, got {_wrapped(value)}")]
        found: list[BadValue] = []
        for name, part in value.items():
            child = map_type.child(name)
            if child is None:
                return [*found, BadValue("field not declared in schema", f".{name}")]
            if errors := self.errors(child, part):
                found.extend(error.below(f".{name}") for error in errors)
        return found

    def _of_list(self, list_type: ListType, value: Any) -> Sequence[BadValue]:
        if value is None:
            return ()
        if not isinstance(value, list):
            return [BadValue(f"expected list, got {_wrapped(value)}")]
        found: list[BadValue] = []
        seen: set[str] = set()
        for index, item in enumerate(value):
            try:
                element = f"i:{index}" if list_type.is_atomic else item_element(list_type, item)
            except BadValue as error:
                # Without an element, what is inside cannot be told.
                return [*found, BadValue(f"element {index}: {error}")]
            if element in seen and not self._allows_duplicates:
                found.append(BadValue(f"duplicate entries for key {spelled(element)}"))
            seen.add(element)
            if errors := self.errors(list_type.element, item):
                found.extend(error.below(spelled(element)) for error in errors)
        return found


def _of_scalar(scalar: Scalar, value: Any) -> Sequence[BadValue]:
    fits = _FITS[scalar]
    if value is None or (isinstance(value, fits) and (fits is bool or not isinstance(value, bool))):
        return ()
    if scalar is Scalar.NUMBER:
        return [BadValue(f"expected numeric (int or float), got {go_type(value)}")]
    if scalar is Scalar.TEXT:
        return [BadValue(f"expected string, got &value.valueUnstructured{{Value:{go_source(value)}}}")]
    if scalar is Scalar.TRUTH:
        return [BadValue(f"expected boolean, got {_wrapped(value)}")]
    if isinstance(value, dict | list):
        return [BadValue(f"expected any scalar, got {_wrapped(value)}")]
    return ()


def _wrapped(value: Any) -> str:
    return f"&{{{go_text(value)}}}"
