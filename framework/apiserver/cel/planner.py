"""Compiles a checked expression into Python closures: `run(frame)` gives the value.

A frame is a list: slot 0 holds the cost that may still be spent, the next ones the variables, then those of folds.

Values of the API stay JSON as long as an expression only walks through them; they become CEL values (a date-time a
timestamp, a number a double) where they are used. So a rule pays for what it reads, not for the size of the object.
"""

from collections.abc import Callable, Sequence
from typing import Any

from framework.apiserver.cel import syntax
from framework.apiserver.cel.checker import Checked
from framework.apiserver.cel.closures import Constant, Run, constant_values
from framework.apiserver.cel.costs import Frame
from framework.apiserver.cel.declarations import Overload
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.plan_calls import plan_function
from framework.apiserver.cel.plan_folds import plan_fold
from framework.apiserver.cel.plan_json import item_of_list, item_of_map, property_of, required
from framework.apiserver.cel.plan_operators import plan_operator
from framework.apiserver.cel.type_names import TYPE_NAMES
from framework.apiserver.cel.types import Type
from framework.apiserver.cel.values import ABSENT, Optional, TypeValue, type_name_of_kind


class Planner:
    def __init__(self, checked: Checked, variables: Sequence[str]) -> None:
        self.checked = checked
        self._size = 1
        self._globals = frozenset(variables)
        # Where a name's value is, and whether it is still JSON.
        self._slots: dict[str, tuple[int, bool]] = {}
        for name in variables:
            self._slots[name] = (self.new_slot(), True)

    @property
    def frame_size(self) -> int:
        return self._size

    def new_slot(self) -> int:
        self._size += 1
        return self._size - 1

    def type_of(self, node: syntax.Node) -> Type:
        return self.checked.types[node]

    def overloads_of(self, node: syntax.Call) -> list[Overload]:
        return self.checked.overloads[node]

    def plan_with(self, variables: dict[str, tuple[int, bool]], node: syntax.Node) -> Run:
        outer = self._slots
        self._slots = {**outer, **variables}
        try:
            return self.plan(node)
        finally:
            self._slots = outer

    def plan(self, node: syntax.Node) -> Run:
        json = self.plan_json(node)
        if json is None:
            return self._plan(node)
        declared = self.type_of(node)
        if not declared.nullable and self._may_be_null(node):
            json = required(json)
        return json if declared.convert is None else _converted(json, declared.convert)

    def _may_be_null(self, node: syntax.Node) -> bool:
        """Whether null can be where the schema allows none: a property that is null counts as absent."""
        if isinstance(node, syntax.Ident):
            return self.checked.names[node] not in self._globals
        return not (isinstance(node, syntax.Select) and self.type_of(node.operand).kind == "object")

    def plan_json(self, node: syntax.Node) -> Run | None:
        match node:
            case syntax.Ident() if self.type_of(node).is_json:
                slot, is_json = self._slots[self.checked.names[node]]
                return (lambda frame: frame[slot]) if is_json else None
            case syntax.Select(test_only=False, optional=False) if node not in self.checked.names:
                return self._json_select(node)
            case syntax.Call(function="_[_]"):
                return self._json_index(node)
        return None

    def _json_select(self, node: syntax.Select) -> Run | None:
        operand = self.plan_json(node.operand)
        if operand is None:
            return None
        declared = self.type_of(node.operand)
        if declared.kind == "object":
            return property_of(operand, declared.fields[node.field].key, node.field)
        if declared.kind == "map":
            name = node.field
            return item_of_map(operand, lambda _: name)
        return None

    def _json_index(self, node: syntax.Call) -> Run | None:
        container, key = node.arguments
        operand = self.plan_json(container)
        if operand is None:
            return None
        kind = self.type_of(container).kind
        if kind == "list":
            return item_of_list(operand, self.plan(key))
        return item_of_map(operand, self.plan(key)) if kind == "map" else None

    def _plan(self, node: syntax.Node) -> Run:  # noqa: PLR0911 - one for each kind of node
        match node:
            case syntax.Literal():
                return Constant(node.value)
            case syntax.Ident():
                return self._ident(node)
            case syntax.Select():
                return self._select(node)
            case syntax.Call():
                return plan_operator(self, node) or plan_function(self, node)
            case syntax.ListLiteral():
                return self._list(node)
            case syntax.MapLiteral():
                return self._map(node)
            case syntax.Fold():
                return plan_fold(self, node)
            case syntax.Bind():
                return self._bind(node)
        raise CelError(f"unexpected {type(node).__name__}")

    def _ident(self, node: syntax.Node) -> Run:
        name = self.checked.names[node]
        if name in self._slots:
            slot = self._slots[name][0]
            return lambda frame: frame[slot]
        kind = TYPE_NAMES[name].kind
        return Constant(TypeValue(name if kind == "opaque" else type_name_of_kind(kind)))

    def _select(self, node: syntax.Select) -> Run:
        if node in self.checked.names:
            return self._ident(node)
        if node.test_only or node.optional:
            return self._find(node)
        operand, field = self.plan(node.operand), node.field

        def select(frame: Frame) -> Any:
            value = operand(frame)
            if isinstance(value, Optional):
                return _find_field(value, field)
            if not isinstance(value, dict) or field not in value:
                raise CelError(f"no such key: {field}")
            return value[field]

        return select

    def _find(self, node: syntax.Select) -> Run:
        """`has(operand.field)` and `operand.?field`."""
        json, declared = self.plan_json(node.operand), self.type_of(node.operand)
        if json is not None and declared.kind == "object":
            found = declared.fields[node.field]
            return _find_property(json, found.key, None if node.test_only else found.type.convert, test=node.test_only)
        operand, field = self.plan(node.operand), node.field
        if node.test_only:
            return lambda frame: _find_field(operand(frame), field).is_present
        return lambda frame: _find_field(operand(frame), field)

    def _list(self, node: syntax.ListLiteral) -> Run:
        elements = [self.plan(each) for each in node.elements]
        known = constant_values(elements)
        if known is not None and not node.optional:
            return Constant(known)
        if not node.optional:
            return lambda frame: [each(frame) for each in elements]
        optional = node.optional

        def build(frame: Frame) -> list[Any]:
            values: list[Any] = []
            for index, each in enumerate(elements):
                value = each(frame)
                if index not in optional:
                    values.append(value)
                elif value.is_present:
                    values.append(value.value)
            return values

        return build

    def _map(self, node: syntax.MapLiteral) -> Run:
        entries = [(self.plan(each.key), self.plan(each.value), each.optional) for each in node.entries]

        def build(frame: Frame) -> dict[Any, Any]:
            built: dict[Any, Any] = {}
            for key, value, is_optional in entries:
                name, content = key(frame), value(frame)
                if name in built:
                    raise CelError(f"Failed with repeated key: {name}")
                if not is_optional:
                    built[name] = content
                elif content.is_present:
                    built[name] = content.value
            return built

        return build

    def _bind(self, node: syntax.Bind) -> Run:
        slot, value = self.new_slot(), self.plan(node.value)
        body = self.plan_with({node.variable: (slot, False)}, node.body)

        def bind(frame: Frame) -> Any:
            frame[slot] = value(frame)
            return body(frame)

        return bind


def _converted(json: Run, convert: Callable[[Any], Any]) -> Run:
    def run(frame: Frame) -> Any:
        return convert(json(frame))

    return run


def _find_field(value: Any, field: str) -> Optional:
    if isinstance(value, Optional):
        return _find_field(value.value, field) if value.is_present else ABSENT
    return Optional(value[field]) if isinstance(value, dict) and field in value else ABSENT


def _find_property(json: Run, key: str, convert: Callable[[Any], Any] | None, *, test: bool) -> Run:
    if test:
        return lambda frame: json(frame).get(key) is not None

    def find(frame: Frame) -> Optional:
        value = json(frame).get(key)
        if value is None:
            return ABSENT
        return Optional(value if convert is None else convert(value))

    return find
