"""Finds, in a finished schema, what the server would refuse: before it is applied, in words of the types."""

from collections.abc import Callable

import msgspec

from apis.meta import VALIDATIONS
from apis.schema.errors import SchemaError
from apis.schema.node import INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, SCALARS, Schema, children
from apis.schema.pattern import fault_of
from apis.schema.rule import check_rules


class Spot(msgspec.Struct, frozen=True):
    """Where in the schema the check is, and what the nodes above mean for a rule that stands there."""

    path: str
    # The first list or map above that has no limit: a rule below it is multiplied without limit.
    unlimited_above: str = ""
    # The first node above whose items have no identity: there is no `oldSelf` below it.
    uncorrelatable_above: str = ""

    def error(self, problem: str) -> SchemaError:
        return SchemaError(f"{self.path}: {problem}")

    def below(self, schema: Schema, step: str) -> "Spot":
        return Spot(
            self.path + step,
            self.unlimited_above or (self.path if _multiplies_without_limit(schema, step) else ""),
            self.uncorrelatable_above or (self.path if _loses_identity(schema, step) else ""),
        )


def check(schema: Schema, kind: str) -> None:
    """Raise SchemaError for the first fault, its path beginning with *kind*."""
    _check_node(schema, Spot(kind))


def _check_node(schema: Schema, spot: Spot) -> None:
    for check_one in _CHECKS:
        check_one(schema, spot)
    for step, child in children(schema):
        _check_node(child, spot.below(schema, step))


def _multiplies_without_limit(schema: Schema, step: str) -> bool:
    return (step == "[]" and "maxItems" not in schema) or (step == "{}" and "maxProperties" not in schema)


def _loses_identity(schema: Schema, step: str) -> bool:
    return (step == "[]" and schema.get(LIST_TYPE) != "map") or schema.get(MAP_TYPE) == "atomic"


def _check_pattern(schema: Schema, spot: Spot) -> None:
    fault = fault_of(schema["pattern"]) if "pattern" in schema else ""
    if fault:
        raise spot.error(f"the pattern {schema['pattern']} {fault}")


def _check_composition(schema: Schema, spot: Spot) -> None:
    if "additionalProperties" in schema and "properties" in schema:
        raise spot.error("an object has either named fields or free keys, not both")
    if LIST_TYPE in schema and schema.get("type") != "array":
        raise spot.error(f"{LIST_TYPE} is for lists")
    if MAP_TYPE in schema and schema.get("type") != "object":
        raise spot.error(f"{MAP_TYPE} is for maps and Structs")


def _check_list_map(schema: Schema, spot: Spot) -> None:
    keys = schema.get(LIST_MAP_KEYS, [])
    if (schema.get(LIST_TYPE) == "map") != bool(keys):
        raise spot.error("a list that is a map needs keys, and only such a list has them: list_map(…)")
    for key in keys:
        _check_list_map_key(schema["items"], key, spot)


def _check_list_map_key(items: Schema, key: str, spot: Spot) -> None:
    field = items.get("properties", {}).get(key)
    if field is None:
        raise spot.error(f"the list-map key {key} is no field of the items")
    if field.get("type") not in SCALARS or field.get("nullable"):
        raise spot.error(f"the list-map key {key} must be a string, number or boolean, and not nullable")
    if key not in items.get("required", []) and "default" not in field:
        raise spot.error(f"the list-map key {key} must be required or have a default that says something")


def _check_set(schema: Schema, spot: Spot) -> None:
    if schema.get(LIST_TYPE) != "set":
        return
    items = schema["items"]
    is_value = items.get("type") in SCALARS or items.get(INT_OR_STRING) or items.get(MAP_TYPE) == "atomic"
    if not is_value and items.get(LIST_TYPE) != "atomic":
        raise spot.error("the items of a set must be scalars or atomic")
    if items.get("nullable"):
        raise spot.error("the items of a set cannot be null")


def _check_validations(schema: Schema, spot: Spot) -> None:
    declared = schema.get(VALIDATIONS, [])
    if not declared:
        return
    if spot.unlimited_above:
        raise SchemaError(f"{spot.unlimited_above}: CEL rules stand below it, so it needs Meta(max_length=…)")
    check_rules(declared, schema, spot.path, spot.uncorrelatable_above)


_CHECKS: tuple[Callable[[Schema, Spot], None], ...] = (
    _check_composition,
    _check_pattern,
    _check_list_map,
    _check_set,
    _check_validations,
)
