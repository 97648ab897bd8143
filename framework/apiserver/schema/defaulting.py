"""Fills in the defaults of a schema, and takes out the nulls that it does not allow."""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from framework.apiserver.schema.json_schema import JSONSchema

# Called with objects and lists only.
Filler: TypeAlias = Callable[[Any], None]
Maker: TypeAlias = Callable[[], Any]


def compile_defaults(schema: JSONSchema) -> Filler:
    return _filler(schema) or _nothing


def _nothing(_: Any) -> None:
    return None


def _filler(schema: JSONSchema) -> Filler | None:
    """None if values of *schema* hold nothing that could be filled in."""
    if schema.properties or schema.value_schema is not None:
        return _object_filler(schema)
    item_schema = schema.item_schema
    return _list_filler(item_schema) if item_schema is not None else None


def _object_filler(schema: JSONSchema) -> Filler:
    properties = schema.properties or {}
    additional = schema.value_schema
    makers = {name: _maker(inner.default) for name, inner in properties.items() if inner.default is not None}
    fillers = {name: found for name, inner in properties.items() if (found := _filler(inner)) is not None}
    fill_additional = _filler(additional) if additional is not None else None

    def fill(value: Any) -> None:
        if type(value) is not dict:
            return
        if None in value.values():
            _settle_nulls(value, schema)
        for name, make in makers.items():
            if name not in value:
                value[name] = make()
        for name, inner in value.items():
            kind = type(inner)
            if kind is dict or kind is list:
                fill_inner = fillers.get(name) if name in properties else fill_additional
                if fill_inner is not None:
                    fill_inner(inner)

    return fill


def _list_filler(item_schema: JSONSchema) -> Filler | None:
    fill_item = _filler(item_schema)
    make = _maker(item_schema.default) if item_schema.default is not None and not item_schema.nullable else None
    if fill_item is None and make is None:
        return None

    def fill(value: Any) -> None:
        if type(value) is not list:
            return
        if make is not None:
            value[:] = [make() if item is None else item for item in value]
        if fill_item is not None:
            for item in value:
                fill_item(item)

    return fill


def _settle_nulls(value: dict[str, Any], schema: JSONSchema) -> None:
    for name in [name for name, inner in value.items() if inner is None]:
        inner_schema = schema.property_schema(name)
        if inner_schema is None or inner_schema.nullable:
            continue
        if inner_schema.default is None:
            del value[name]
        else:
            value[name] = _maker(inner_schema.default)()


def _maker(default: Any) -> Maker:
    """What makes a copy of *default*: objects must not share it, each may change its own."""
    if default in ({}, []):
        return type(default)
    if isinstance(default, dict | list):
        decoder, encoded = msgspec.json.Decoder(), msgspec.json.encode(default)
        return lambda: decoder.decode(encoded)
    return lambda: default
