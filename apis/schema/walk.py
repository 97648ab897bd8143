"""Walks through the declared types and makes of each the schema node it stands for."""

from functools import singledispatch
from typing import Any, get_type_hints

import msgspec
from msgspec import inspect

from apis.meta import VALIDATIONS, KubeObject, rules_of
from apis.schema import scalar
from apis.schema.default import checked, default_of
from apis.schema.errors import SchemaError
from apis.schema.node import INT_OR_STRING, LIST_TYPE, PRESERVE, Schema
from apis.schema.optional import without_none
from apis.schema.place import Place

# What a CRD's schema knows beside what types say; anything else the server would refuse or drop.
_KNOWN_KEYWORDS = frozenset(
    """title description example externalDocs default enum format nullable pattern maximum minimum multipleOf maxLength
    minLength maxItems minItems maxProperties minProperties anyOf allOf oneOf not""".split()  # noqa: SIM905 - as words
)
_ANY_STRING = inspect.StrType()


def schema_of_struct(cls: type[msgspec.Struct], place: Place) -> Schema:
    """The schema of a Struct's fields, its docstring and its rules, at whatever place it stands."""
    info = _info_of(cls, place)
    if not isinstance(info, inspect.StructType):
        raise place.error(f"{cls.__name__} is no Struct")
    if info.array_like or info.tag_field is not None:
        raise place.error("a Struct in a kind can be neither array_like nor tagged")
    return {"type": "object", **described(cls), **_parts(info, place), **_validations(cls)}


def _info_of(cls: type[msgspec.Struct], place: Place) -> inspect.Type:
    try:
        return inspect.type_info(cls)
    except (TypeError, NameError) as error:
        raise _misdeclared(place) or place.error(str(error)) from None


def _misdeclared(place: Place) -> SchemaError | None:
    """The error of the first field that msgspec itself refuses; it names only the type."""
    for name, hint in get_type_hints(place.owners[-1], include_extras=True).items():
        try:
            inspect.type_info(hint)
        except TypeError as error:
            is_struct = isinstance(hint, type) and issubclass(hint, msgspec.Struct)
            inner = _misdeclared(place.at(name).inside(hint)) if is_struct else None
            return inner or place.at(name).error(str(error))
    return None


def described(cls: type) -> Schema:
    # Only the class's own words: an inherited docstring describes something else.
    paragraph = (cls.__dict__.get("__doc__") or "").strip().split("\n\n")[0]
    return {"description": " ".join(paragraph.split())} if paragraph else {}


def _parts(info: inspect.StructType, place: Place) -> Schema:
    properties = {field.encode_name: _property(field, place.at(field.name)) for field in info.fields}
    required = [field.encode_name for field in info.fields if field.required]
    parts: Schema = {"properties": properties} if properties else {}
    return parts | {"required": required} if required else parts


def _validations(cls: type[msgspec.Struct]) -> Schema:
    declared = rules_of(cls)
    return {VALIDATIONS: [msgspec.to_builtins(rule) for rule in declared]} if declared else {}


def _property(field: inspect.Field, place: Place) -> Schema:
    declared, takes_none = without_none(field.type)
    schema = schema_of(declared, place)
    # A None that is the default is how Python spells an absent field.
    if takes_none and field.default is not None:
        schema["nullable"] = True
    return _with_default(schema, field, place)


def _with_default(schema: Schema, field: inspect.Field, place: Place) -> Schema:
    if "default" not in schema:
        value = default_of(field, place)
        return schema if value is None else {**schema, "default": value}
    value = schema.pop("default")
    return schema if value is None else {**schema, "default": checked(value, field, place)}


@singledispatch
def schema_of(declared: inspect.Type, place: Place) -> Schema:
    """The schema of one type; each kind of type has its own function below."""
    name = getattr(getattr(declared, "cls", None), "__name__", type(declared).__name__)
    raise place.error(f"a schema cannot express the type {name}")


@schema_of.register
def _(declared: inspect.Metadata, place: Place) -> Schema:
    extra = dict(declared.extra_json_schema or {})
    examples = extra.pop("examples", None)
    schema = schema_of(declared.type, place)
    # An object that may hold anything can still have fields of which the types are known.
    known = _KNOWN_KEYWORDS | {"properties"} if PRESERVE in schema else _KNOWN_KEYWORDS
    unknown = [key for key in extra if key not in known and not key.startswith("x-kubernetes-")]
    if unknown:
        raise place.error(f"a CRD's schema has no {', '.join(sorted(unknown))}")
    if examples:
        extra.setdefault("example", examples[0])
    return schema | extra


@schema_of.register
def _(declared: inspect.StructType, place: Place) -> Schema:
    if issubclass(declared.cls, KubeObject):
        raise place.error("a whole object inside another is Annotated[dict[str, Any], EMBEDDED_RESOURCE]")
    return schema_of_struct(declared.cls, place.inside(declared.cls))


@schema_of.register
def _(declared: inspect.UnionType, place: Place) -> Schema:
    inner, had_none = without_none(declared)
    if had_none:
        return schema_of(inner, place) | {"nullable": True}
    members = {type(member) for member in declared.types}
    if members == {inspect.IntType, inspect.StrType}:
        return {"anyOf": [{"type": "integer"}, {"type": "string"}], INT_OR_STRING: True}
    if members == {inspect.IntType, inspect.FloatType}:
        return {"type": "number", "format": "double"}
    raise place.error("a field has one type; only `T | None` and `int | str` are possible")


@schema_of.register
def _(declared: inspect.DictType, place: Place) -> Schema:
    if not isinstance(declared.key_type, inspect.AnyType) and declared.key_type != _ANY_STRING:
        raise place.error("the keys of a map are plain str; a schema cannot limit them, a CEL rule can")
    schema: Schema = {"type": "object", **_lengths(declared, "Properties")}
    if isinstance(declared.value_type, inspect.AnyType):
        return {**schema, PRESERVE: True}
    return {**schema, "additionalProperties": schema_of(declared.value_type, place)}


@schema_of.register(inspect.ListType)
@schema_of.register(inspect.VarTupleType)
def _(declared: inspect.ListType | inspect.VarTupleType, place: Place) -> Schema:
    return {"type": "array", **_lengths(declared, "Items"), "items": schema_of(declared.item_type, place)}


@schema_of.register(inspect.SetType)
@schema_of.register(inspect.FrozenSetType)
def _(declared: inspect.SetType | inspect.FrozenSetType, place: Place) -> Schema:
    items = schema_of(declared.item_type, place)
    return {"type": "array", **_lengths(declared, "Items"), "items": items, LIST_TYPE: "set"}


@schema_of.register
def _(declared: inspect.TupleType, place: Place) -> Schema:
    first = declared.item_types[0] if declared.item_types else None
    if first is None or any(other != first for other in declared.item_types):
        raise place.error("the items of a list all have one type; use a Struct")
    count = len(declared.item_types)
    return {"type": "array", "minItems": count, "maxItems": count, "items": schema_of(first, place)}


@schema_of.register(inspect.AnyType)
@schema_of.register(inspect.RawType)
def _(_declared: inspect.Type, _place: Place) -> Schema:
    return {PRESERVE: True}


@schema_of.register
def _(declared: inspect.StrType, _place: Place) -> Schema:
    return scalar.string(declared)


@schema_of.register
def _(declared: inspect.IntType, _place: Place) -> Schema:
    return scalar.integer(declared)


@schema_of.register
def _(declared: inspect.FloatType, _place: Place) -> Schema:
    return scalar.number(declared)


@schema_of.register
def _(_declared: inspect.BoolType, _place: Place) -> Schema:
    return {"type": "boolean"}


@schema_of.register
def _(declared: inspect.DateTimeType, place: Place) -> Schema:
    return scalar.time(declared, place)


@schema_of.register
def _(declared: inspect.BytesType, _place: Place) -> Schema:
    return scalar.octets(declared)


@schema_of.register
def _(declared: inspect.EnumType, place: Place) -> Schema:
    return scalar.choice(tuple(declared.cls), place)


@schema_of.register
def _(declared: inspect.LiteralType, place: Place) -> Schema:
    return scalar.choice(declared.values, place)


def _lengths(declared: Any, what: str) -> Schema:
    limits = {f"min{what}": declared.min_length, f"max{what}": declared.max_length}
    return {key: value for key, value in limits.items() if value is not None}
