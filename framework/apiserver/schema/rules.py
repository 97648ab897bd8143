"""Evaluates `x-kubernetes-validations`: rules in CEL about an object and about its changes."""

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.apiserver.fields import FieldError
from framework.apiserver.schema import paths
from framework.apiserver.schema.compiled_rule import CompiledRule, CompileExpression
from framework.apiserver.schema.correlation import Correlation, MapList
from framework.apiserver.schema.json_schema import JSONSchema


class RuleTree:
    """The rules of a schema, at their places; parts of it without rules are left out."""

    __slots__ = ("_fields", "_items", "_rules", "_schema", "_values")

    def __init__(
        self,
        schema: JSONSchema,
        rules: list[CompiledRule],
        fields: "dict[str, RuleTree]",
        items: "RuleTree | None",
        values: "RuleTree | None",
    ) -> None:
        self._schema = schema
        self._rules = rules
        self._fields = fields
        self._items = items
        self._values = values

    def errors(self, value: Any, old: Any, path: str, unchanged: "Unchanged | None" = None) -> list[FieldError]:
        """What the rules find; with *unchanged*, rules that only look at the new value forgive what has not changed."""
        if value is None:
            return []
        found = self._own_errors(value, old, path, unchanged)
        if type(value) is list and self._items is not None:
            found += self._item_errors(self._items, value, old, path, unchanged)
        elif type(value) is dict:
            found += self._field_errors(value, old if type(old) is dict else {}, path, unchanged)
        return found

    def _own_errors(self, value: Any, old: Any, path: str, unchanged: "Unchanged | None") -> list[FieldError]:
        found = []
        for rule in self._rules:
            error = rule.error(value, old, path, self._schema.type)
            if error is not None and (rule.uses_old or unchanged is None or not unchanged.forgives()):
                found.append(error)
        return found

    def _item_errors(
        self, tree: "RuleTree", items: list[Any], old: Any, path: str, unchanged: "Unchanged | None"
    ) -> list[FieldError]:
        old_items = MapList(self._schema, old if type(old) is list else None)
        found = []
        for at, item in enumerate(items):
            below = unchanged.item(at) if unchanged else None
            found += tree.errors(item, old_items.find(item), paths.index(path, at), below)
        return found

    def _field_errors(
        self, value: dict[str, Any], old: Mapping[str, Any], path: str, unchanged: "Unchanged | None"
    ) -> list[FieldError]:
        found = []
        if self._values is not None:
            for name, inner in value.items():
                below = unchanged.field(name) if unchanged else None
                found += self._values.errors(inner, old.get(name), paths.key(path, name), below)
        for name, tree in self._fields.items():
            if name in value:
                below = unchanged.field(name) if unchanged else None
                found += tree.errors(value[name], old.get(name), paths.child(path, name), below)
        return found


class Unchanged:
    """Where a value stands in the correlation of the new with the old object.

    A value without an old one is forgiven if the nearest one around it that has one is unchanged.
    """

    __slots__ = ("_around", "_here")

    def __init__(self, here: Correlation | None, around: Correlation | None = None) -> None:
        self._here = here
        self._around = around

    def forgives(self) -> bool:
        nearest = self._here or self._around
        return nearest is not None and nearest.is_unchanged

    def field(self, name: str) -> "Unchanged":
        if self._here is None:
            return self
        if self._around is None and name in ("apiVersion", "kind"):
            return Unchanged(None)
        return Unchanged(self._here.field(name), self._here)

    def item(self, position: int) -> "Unchanged":
        return self if self._here is None else Unchanged(self._here.item(position), self._here)


def compile_rules(
    schema: JSONSchema, compile_expression: CompileExpression, *, is_root: bool = False
) -> RuleTree | None:
    """None if there are no rules in *schema*."""
    fields = {
        name: tree
        for name, inner in (schema.properties or {}).items()
        if (tree := _below(inner, compile_expression)) is not None
    }
    items = _below(schema.item_schema, compile_expression)
    values = _below(schema.value_schema, compile_expression)
    rules = own_rules(schema, compile_expression, is_root=is_root)
    if not (rules or fields or items or values):
        return None
    return RuleTree(schema, rules, fields, items, values)


def own_rules(
    schema: JSONSchema, compile_expression: CompileExpression, *, is_root: bool = False
) -> list[CompiledRule]:
    """The rules that stand at *schema* itself."""
    if not schema.rules:
        return []
    variable = msgspec.to_builtins(schema)
    if is_root:
        # Rules see the kind, apiVersion and name of every resource, whether the schema has them or not.
        variable["x-kubernetes-embedded-resource"] = True
    return [CompiledRule(rule, schema, variable, compile_expression) for rule in schema.rules]


def _below(schema: JSONSchema | None, compile_expression: CompileExpression) -> RuleTree | None:
    # Rules cannot see what has no type, so those about it are never evaluated.
    return compile_rules(schema, compile_expression) if schema is not None and is_visible(schema) else None


def is_visible(schema: JSONSchema) -> bool:
    """Whether values of *schema* have a type in CEL."""
    if schema.is_int_or_string:
        return True
    if schema.type == "array":
        return schema.item_schema is not None and is_visible(schema.item_schema)
    if schema.type == "object":
        return schema.value_schema is None or is_visible(schema.value_schema)
    return schema.type in ("string", "boolean", "integer", "number")
