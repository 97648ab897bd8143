"""The compiled schema: how the parts of a value are told apart and owned.

Parts of a node are compiled when first looked at: types refer to themselves, and most fields are never seen.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias


class Scalar(Enum):
    NUMBER = "numeric"
    TEXT = "string"
    TRUTH = "boolean"
    ANY = "untyped"


class Form(Enum):
    """What a value is handled as."""

    SCALAR = 1
    LIST = 2
    MAP = 3


class Node:
    """A type: what its values may be. Where they may be several things, each value tells by itself what it is."""

    __slots__ = ("list_type", "map_type", "only", "scalar")

    def __init__(
        self,
        *,
        scalar: Scalar | None = None,
        list_type: "ListType | None" = None,
        map_type: "MapType | None" = None,
    ) -> None:
        self.scalar = scalar
        self.list_type = list_type
        self.map_type = map_type
        # The form of every value where there is just one: then values need no look.
        forms = [
            form
            for form, has in ((Form.MAP, map_type), (Form.SCALAR, scalar), (Form.LIST, list_type))
            if has is not None
        ]
        self.only = forms[0] if len(forms) == 1 else None

    @property
    def preferred(self) -> Form | None:
        """How to handle a value that does not tell, or tells something impossible."""
        if self.map_type is not None:
            return Form.MAP
        if self.scalar is not None:
            return Form.SCALAR
        return None if self.list_type is None else Form.LIST

    def form_of(self, value: Any) -> Form | None:
        if self.only is not None:
            return self.only
        if isinstance(value, dict):
            return Form.MAP if self.map_type is not None else self.preferred
        if isinstance(value, list):
            return Form.LIST if self.list_type is not None else self.preferred
        if value is not None and self.scalar is not None:
            return Form.SCALAR
        return self.preferred


NodeSource: TypeAlias = Callable[[], Node]


class MapType:
    """An object: declared fields, and perhaps further keys."""

    __slots__ = ("_element", "_element_source", "_fields", "_sources", "defaults", "is_atomic", "is_deduced", "zeros")

    def __init__(
        self,
        *,
        is_atomic: bool,
        fields: Mapping[str, NodeSource],
        element: NodeSource | None,
        defaults: Mapping[str, Any],
        zeros: Mapping[str, Any],
        is_deduced: bool = False,
    ) -> None:
        self.is_atomic = is_atomic
        self._sources = fields
        self._element_source = element
        self._fields: dict[str, Node] = {}
        self._element: Node | None = None
        self.defaults = defaults
        # What a declared field counts as where it is absent: the real server keeps built-in kinds as Go structs, which
        # cannot leave a part out that is no pointer. Empty for custom resources.
        self.zeros = zeros
        # Nothing is declared, and everything goes.
        self.is_deduced = is_deduced

    def declares(self, name: str) -> bool:
        return name in self._sources

    def child(self, name: str) -> Node | None:
        """The type below *name*; None if there can be nothing."""
        node = self._fields.get(name)
        if node is not None:
            return node
        if name not in self._sources:
            return self._element or self.element
        node = self._fields[name] = self._sources[name]()
        return node

    @property
    def element(self) -> Node | None:
        """The type of keys that are not declared; None if there may be none."""
        if self._element is None and self._element_source is not None:
            self._element = self._element_source()
        return self._element

    def atomic(self, is_atomic: bool) -> "MapType":  # noqa: FBT001 - it is the name of the method
        return MapType(
            is_atomic=is_atomic,
            fields=self._sources,
            element=self._element_source,
            defaults=self.defaults,
            zeros=self.zeros,
            is_deduced=self.is_deduced,
        )


class ListType:
    """An array: owned as a whole, or item by item, told apart by their values (a set) or by *keys*."""

    __slots__ = ("_element", "_element_source", "is_atomic", "keys", "sorted_keys")

    def __init__(self, *, is_atomic: bool, keys: Sequence[str], element: NodeSource) -> None:
        self.is_atomic = is_atomic
        self.keys = tuple(keys)
        self.sorted_keys = tuple(sorted(keys))
        self._element_source = element
        self._element: Node | None = None

    @property
    def element(self) -> Node:
        if self._element is None:
            self._element = self._element_source()
        return self._element

    def atomic(self, is_atomic: bool) -> "ListType":  # noqa: FBT001 - it is the name of the method
        return ListType(is_atomic=is_atomic, keys=self.keys, element=self._element_source)
