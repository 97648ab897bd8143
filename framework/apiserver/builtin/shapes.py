"""Schemas compiled to what reads an object as Go would, and fills in what Go would write."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol

from framework.apiserver.builtin.scalars import TypeMismatch
from framework.apiserver.objects import Object

Hook = Callable[[Object], None]


class MapKey(str):
    """A step into a map. Go's messages about types leave it out."""

    __slots__ = ()


class Reading:
    """Where in the object the reader is, and which fields nobody knows."""

    __slots__ = ("path", "unknown")

    def __init__(self) -> None:
        self.path: list[str | int] = []
        self.unknown: list[str] = []

    def here(self, name: str = "") -> str:
        text = ""
        for step in (*self.path, name) if name else self.path:
            if isinstance(step, int):
                text += f"[{step}]"
            else:
                text += f".{step}" if text else step
        return text

    def fields(self) -> str:
        return ".".join(step for step in self.path if isinstance(step, str) and not isinstance(step, MapKey))


class Shape(Protocol):
    """One node of a schema. *go_type* names it in messages; *zero* makes what an item of null becomes."""

    go_type: str

    def read(self, value: Any, reading: Reading) -> Any:
        """*value* as Go reads and writes it; changed in place where it is a collection."""

    def fill(self, value: Any) -> None:
        """Fill in the defaults below *value*, in place."""

    def zero(self) -> Any: ...

    def needs_fill(self, seen: set[int]) -> bool:
        """Whether `fill` could do anything; *seen* ends the search where types contain themselves."""


class Field:
    """A property of a struct."""

    __slots__ = ("drops_empty", "plain_type", "shape")

    def __init__(self, shape: Shape, plain_type: type | None, *, drops_empty: bool) -> None:
        self.shape = shape
        # Values of exactly this type need no reading: nearly all fields of nearly all objects.
        self.plain_type = plain_type
        self.drops_empty = drops_empty


class StructShape:
    """A Go struct: known fields only; null, and what `omitempty` leaves out, is gone."""

    __slots__ = ("_children", "_hook", "_zeros", "fields", "go_type", "name")

    def __init__(self, name: str, hook: Hook | None) -> None:
        self.name = name
        self.go_type = f"v1.{name}"
        self.fields: dict[str, Field] = {}
        self._hook = hook
        self._zeros: list[tuple[str, Callable[[], Any]]] = []
        self._children: list[tuple[str, Shape]] | None = None

    def add(self, name: str, field: Field, zero: Callable[[], Any] | None) -> None:
        self.fields[name] = field
        if zero is not None:
            self._zeros.append((name, zero))

    def read(self, value: Any, reading: Reading) -> Any:
        if type(value) is not dict:
            raise TypeMismatch(value, self.go_type)
        dropped: list[str] = []
        for name, item in value.items():
            field = self.fields.get(name)
            if field is None:
                reading.unknown.append(reading.here(name))
                dropped.append(name)
            elif item is None:
                dropped.append(name)
            elif type(item) is not field.plain_type:
                value[name] = read = self._read_field(name, field, item, reading)
                if field.drops_empty and not read:
                    dropped.append(name)
            elif field.drops_empty and not item:
                dropped.append(name)
        for name in dropped:
            del value[name]
        return value

    def _read_field(self, name: str, field: Field, item: Any, reading: Reading) -> Any:
        reading.path.append(name)
        try:
            read = field.shape.read(item, reading)
        except TypeMismatch as error:
            if not error.place:
                error.place = f"{self.name}.{reading.fields()}"
            raise
        reading.path.pop()
        return read

    def fill(self, value: Any) -> None:
        if self._hook is not None:
            self._hook(value)
        for name, zero in self._zeros:
            if name not in value:
                value[name] = zero()
        if self._children is None:
            self._children = [(name, one.shape) for name, one in self.fields.items() if one.shape.needs_fill(set())]
        for name, shape in self._children:
            child = value.get(name)
            if child is not None:
                shape.fill(child)

    def zero(self) -> Object:
        return {}

    def needs_fill(self, seen: set[int]) -> bool:
        if id(self) in seen:
            return False
        seen.add(id(self))
        if self._hook is not None or self._zeros:
            return True
        return any(field.shape.needs_fill(seen) for field in self.fields.values())


class ListShape:
    __slots__ = ("_item", "go_type")

    def __init__(self, item: Shape) -> None:
        self._item = item
        self.go_type = f"[]{item.go_type}"

    def read(self, value: Any, reading: Reading) -> Any:
        if type(value) is not list:
            raise TypeMismatch(value, self.go_type)
        path = reading.path
        for position, item in enumerate(value):
            path.append(position)
            value[position] = self._item.zero() if item is None else self._item.read(item, reading)
            path.pop()
        return value

    def fill(self, value: Any) -> None:
        for item in value:
            self._item.fill(item)

    def zero(self) -> None:
        return None

    def needs_fill(self, seen: set[int]) -> bool:
        return self._item.needs_fill(seen)


class MapShape:
    __slots__ = ("_value", "go_type")

    def __init__(self, value: Shape, go_type: str = "") -> None:
        self._value = value
        self.go_type = go_type or f"map[string]{value.go_type}"

    def read(self, value: Any, reading: Reading) -> Any:
        if type(value) is not dict:
            raise TypeMismatch(value, self.go_type)
        path = reading.path
        for key, item in value.items():
            path.append(MapKey(key))
            value[key] = self._value.zero() if item is None else self._value.read(item, reading)
            path.pop()
        return value

    def fill(self, value: Any) -> None:
        for item in value.values():
            self._value.fill(item)

    def zero(self) -> None:
        return None

    def needs_fill(self, seen: set[int]) -> bool:
        return self._value.needs_fill(seen)


class ScalarShape:
    """A value without parts. *convert* gives it as Go writes it, or raises TypeMismatch or ValueError."""

    __slots__ = ("_convert", "_zero", "go_type")

    def __init__(self, go_type: str, convert: Callable[[Any, str], Any], zero: Any) -> None:
        self.go_type = go_type
        self._convert = convert
        self._zero = zero

    def read(self, value: Any, _: Reading) -> Any:
        return self._convert(value, self.go_type)

    def fill(self, _: Any) -> None:
        """There is nothing below."""

    def zero(self) -> Any:
        return self._zero

    def needs_fill(self, _: set[int]) -> bool:
        return False


class AlternativeShape:
    """A schema, a list of them or something plain: the types of JSON Schema that Go decodes by hand.

    What is unknown inside is left out without a word, because such a decoder does not report it.
    """

    __slots__ = ("_schema", "_takes", "go_type")

    def __init__(self, schema: Shape, takes: Sequence[type]) -> None:
        self._schema = schema
        self._takes = takes
        self.go_type = schema.go_type

    def read(self, value: Any, _: Reading) -> Any:
        if type(value) is dict:
            return self._schema.read(value, Reading())
        if type(value) is list and list in self._takes:
            return [self._schema.read(item, Reading()) if type(item) is dict else item for item in value]
        if type(value) not in self._takes:
            _refuse(value)
        return value

    def fill(self, value: Any) -> None:
        if type(value) is dict:
            self._schema.fill(value)

    def zero(self) -> None:
        return None

    def needs_fill(self, seen: set[int]) -> bool:
        return self._schema.needs_fill(seen)


def _refuse(value: Any) -> NoReturn:
    if type(value) is bool:
        raise ValueError("boolean JSON value expected")
    raise ValueError("JSON value must be an object or an array")
