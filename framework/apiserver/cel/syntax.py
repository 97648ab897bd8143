"""The parts of an expression: what the parser gives, what the checker annotates, what the planner compiles."""

from typing import Any, TypeAlias

import msgspec


class Literal(msgspec.Struct, eq=False):
    position: int
    value: Any


class Ident(msgspec.Struct, eq=False):
    position: int
    name: str


class Select(msgspec.Struct, eq=False):
    """`operand.field`; `has(operand.field)` if it is only a test; `operand.?field` if optional."""

    position: int
    operand: "Node"
    field: str
    test_only: bool = False
    optional: bool = False


class Call(msgspec.Struct, eq=False):
    position: int
    function: str
    target: "Node | None"
    arguments: list["Node"]


class ListLiteral(msgspec.Struct, eq=False):
    position: int
    elements: list["Node"]
    optional: frozenset[int]


class MapEntry(msgspec.Struct, eq=False):
    position: int
    key: "Node"
    value: "Node"
    optional: bool


class MapLiteral(msgspec.Struct, eq=False):
    position: int
    entries: list[MapEntry]


class StructLiteral(msgspec.Struct, eq=False):
    position: int
    type_name: str


class Comprehension(msgspec.Struct, eq=False):
    """A fold as the parser writes it; `macros` turns each into the Fold or Bind it was written as."""

    position: int
    variable: str
    source: "Node"
    accumulator: str
    initial: "Node"
    step: "Node"
    result: "Node"


class Fold(msgspec.Struct, eq=False):
    """A macro that walks a list or a map.

    kind: all, exists, exists_one, map (also filter and transformList), transformMap, transformMapEntry, sortBy.
    keep: the condition of map and transform…; body: the predicate, or what becomes of each element.
    """

    position: int
    kind: str
    source: "Node"
    variables: tuple[str, ...]
    body: "Node"
    keep: "Node | None" = None


class Bind(msgspec.Struct, eq=False):
    """`value` under the name `variable` in `body`; optMap and optFlatMap contain one."""

    position: int
    variable: str
    value: "Node"
    body: "Node"


Node: TypeAlias = (
    Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension | Fold | Bind
)
