"""Whether the defaults of a schema are valid themselves."""

from typing import Any, NamedTuple

import msgspec

from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.schema.compiled_rule import CompileExpression
from framework.apiserver.schema.embedded import compile_embedded, resource_errors
from framework.apiserver.schema.json_schema import JSONSchema
from framework.apiserver.schema.pruning import META_FIELDS, Pruner
from framework.apiserver.schema.rules import compile_rules
from framework.apiserver.schema.values import value_errors


class DefaultRules(NamedTuple):
    """How to judge: *must_be_pruned* unless the definition had defaults with unknown fields before."""

    compile_expression: CompileExpression
    must_be_pruned: bool = True


def default_errors(schema: JSONSchema, path: str, judge: DefaultRules, *, is_resource: bool = True) -> list[FieldError]:
    return _errors(schema, path, judge, is_resource=is_resource, is_meta=False)


def has_unpruned_defaults(schema: JSONSchema) -> bool:
    own = schema.default is not None and not _is_pruned(schema)
    below = [*(schema.properties or {}).values(), schema.item_schema, schema.value_schema]
    return own or any(has_unpruned_defaults(inner) for inner in below if inner is not None)


def _errors(
    schema: JSONSchema, path: str, judge: DefaultRules, *, is_resource: bool, is_meta: bool
) -> list[FieldError]:
    errors = [] if schema.default is None else _own_errors(schema, f"{path}.default", judge, is_meta=is_meta)
    if schema.item_schema is not None:
        inner = schema.item_schema
        errors += _errors(inner, f"{path}.items", judge, is_resource=inner.is_embedded, is_meta=is_meta)
    for name, inner in (schema.properties or {}).items():
        inner_is_meta = not inner.is_embedded and (is_meta or (is_resource and name in META_FIELDS))
        place = f"{path}.properties[{name}]"
        errors += _errors(inner, place, judge, is_resource=inner.is_embedded, is_meta=inner_is_meta)
    return errors


def _own_errors(schema: JSONSchema, path: str, judge: DefaultRules, *, is_meta: bool) -> list[FieldError]:
    errors = []
    if judge.must_be_pruned and not is_meta and not _is_pruned(schema):
        errors.append(invalid_value(path, schema.default, "must not have unknown fields"))
    found = _embedded_errors(schema, path) or value_errors(schema, schema.default, path)
    return errors + (found or _rule_errors(schema, path, judge))


def _is_pruned(schema: JSONSchema) -> bool:
    return not Pruner(schema, is_resource=schema.is_embedded).prune(_copy(schema.default))


def _embedded_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    errors = []
    if schema.is_embedded and type(schema.default) is dict:
        errors += resource_errors(schema.default, path)
    inner = compile_embedded(schema)
    return errors if inner is None else errors + inner.errors(schema.default, path)


def _rule_errors(schema: JSONSchema, path: str, judge: DefaultRules) -> list[FieldError]:
    tree = compile_rules(schema, judge.compile_expression)
    if tree is None:
        return []
    return tree.errors(schema.default, schema.default, path) or tree.errors(schema.default, None, path)


def _copy(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
