"""Which old value a new one has come from, so that what has not changed can be told."""

from typing import Any

from framework.apiserver.schema.json_schema import JSONSchema


class Correlation:
    """A new value and the old one in its place; children are found through maps, properties and lists by key."""

    __slots__ = ("_children", "_old_items", "_schema", "_unchanged", "new", "old")

    def __init__(self, new: Any, old: Any, schema: JSONSchema) -> None:
        self.new = new
        self.old = old
        self._schema = schema
        self._children: dict[str | int, Correlation] = {}
        self._old_items: MapList | None = None
        self._unchanged: bool | None = None

    def field(self, name: str) -> "Correlation | None":
        if name in self._children:
            return self._children[name]
        if type(self.old) is not dict or type(self.new) is not dict:
            return None
        if name not in self.old or name not in self.new:
            return None
        schema = self._schema.property_schema(name)
        if schema is None:
            return None
        return self._remembered(name, Correlation(self.new[name], self.old[name], schema))

    def item(self, position: int) -> "Correlation | None":
        if position in self._children:
            return self._children[position]
        schema = self._schema.item_schema
        # Only the items of map lists have an identity; a set is compared as a whole.
        if type(self.old) is not list or type(self.new) is not list or self._schema.list_type != "map":
            return None
        if self._old_items is None:
            self._old_items = MapList(self._schema, self.old)
        new = self.new[position]
        old = self._old_items.find(new)
        if old is None or schema is None:
            return None
        return self._remembered(position, Correlation(new, old, schema))

    @property
    def is_unchanged(self) -> bool:
        if self._unchanged is None:
            self._unchanged = self._compare()
        return self._unchanged

    def _remembered(self, place: str | int, made: "Correlation") -> "Correlation":
        self._children[place] = made
        return made

    def _compare(self) -> bool:
        # Items may have moved and fields without a schema have changed: that counts as no change and as a change.
        if type(self.new) is not type(self.old):
            return False
        if type(self.new) is dict:
            return len(self.new) == len(self.old) and all(_is_unchanged(self.field(name)) for name in self.new)
        if type(self.new) is list and self._schema.list_type == "map":
            positions = range(len(self.new))
            return len(self.new) == len(self.old) and all(_is_unchanged(self.item(at)) for at in positions)
        return bool(self.new == self.old)


class MapList:
    """The items of a list of type map by their keys; the first one counts where keys come twice."""

    __slots__ = ("_by_key", "_names")

    def __init__(self, schema: JSONSchema, items: list[Any] | None) -> None:
        self._names = schema.list_map_keys or []
        self._by_key: dict[object, Any] = {}
        if schema.list_type != "map" or not self._names:
            return
        for item in items or ():
            if (key := self._key(item)) is not None:
                self._by_key.setdefault(key, item)

    def find(self, item: Any) -> Any:
        key = self._key(item)
        return None if key is None else self._by_key.get(key)

    def _key(self, item: Any) -> object:
        if type(item) is not dict:
            return None
        values = [item.get(name) for name in self._names]
        if any(value is None or type(value) in (dict, list) for value in values):
            return None
        # True and 1 are equal in Python, not in JSON.
        return tuple((type(value), value) for value in values)


def _is_unchanged(correlation: Correlation | None) -> bool:
    return correlation is not None and correlation.is_unchanged
