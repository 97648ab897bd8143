"""From the schemas to shapes, one per definition, made when first needed and shared by all kinds."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from framework.apiserver.builtin import scalars
from framework.apiserver.builtin.defaults import DEFAULTS
from framework.apiserver.builtin.definitions import DATA, Schema, definitions
from framework.apiserver.builtin.shapes import (
    AlternativeShape,
    Field,
    ListShape,
    MapShape,
    ScalarShape,
    Shape,
    StructShape,
)

_REFERENCE = "#/components/schemas/"
_META = "io.k8s.apimachinery.pkg."
_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
_SPECIAL: Mapping[str, Shape] = {
    _META + "apis.meta.v1.Time": ScalarShape("v1.Time", scalars.as_time, None),
    _META + "apis.meta.v1.MicroTime": ScalarShape("v1.MicroTime", scalars.as_micro_time, None),
    _META + "apis.meta.v1.FieldsV1": ScalarShape("v1.FieldsV1", scalars.as_anything, None),
    _META + "runtime.RawExtension": ScalarShape("runtime.RawExtension", scalars.as_anything, None),
    _META + "util.intstr.IntOrString": ScalarShape("intstr.IntOrString", scalars.as_int_or_string, 0),
    _META + "api.resource.Quantity": ScalarShape("resource.Quantity", scalars.as_quantity, "0"),
    _EXTENSIONS + "JSON": ScalarShape("v1.JSON", scalars.as_anything, None),
}
_SCHEMA_ALTERNATIVES: Mapping[str, Sequence[type]] = {
    _EXTENSIONS + "JSONSchemaPropsOrArray": (list,),
    _EXTENSIONS + "JSONSchemaPropsOrBool": (bool,),
    _EXTENSIONS + "JSONSchemaPropsOrStringArray": (list,),
}
_PLAIN_TYPES: Mapping[str, type] = {"string": str, "boolean": bool}
_COLLECTIONS = (ListShape, MapShape)


class _GoTypes(msgspec.Struct, frozen=True):
    """What the schema does not tell about the fields of a struct."""

    # Scalars whose zero differs from their absence.
    pointers: frozenset[str] = frozenset()
    # Lists, maps and times that are written as null if absent.
    kept: frozenset[str] = frozenset()
    # Types with a name of their own.
    named: dict[str, str] = {}


_UNREMARKABLE = _GoTypes()


@cache
def shape_of(definition: str) -> StructShape:
    """The shape of a kind, e.g. of `io.k8s.api.apps.v1.Deployment`."""
    made: _Shapes = {}
    shape = _compiled(definition, made)
    # Only now that they are whole: another task that met half of one would drop the other half of its fields.
    _finished.update(made)
    if not isinstance(shape, StructShape):
        raise TypeError(f"{definition} is not a kind")
    return shape


_Shapes = dict[str, Shape]
_finished: _Shapes = {}


def _compiled(definition: str, made: _Shapes) -> Shape:
    known = _SPECIAL.get(definition) or _finished.get(definition) or made.get(definition)
    if known is not None:
        return known
    if definition in _SCHEMA_ALTERNATIVES:
        return AlternativeShape(_compiled(_EXTENSIONS + "JSONSchemaProps", made), _SCHEMA_ALTERNATIVES[definition])
    shape = StructShape(definition.rpartition(".")[2], DEFAULTS.get(definition))
    # Before its fields: a schema of JSON Schema contains itself.
    made[definition] = shape
    go_types = _go_types().get(definition, _UNREMARKABLE)
    for name, schema in definitions()[definition].get("properties", {}).items():
        shape.add(name, _field_of(name, schema, go_types, made), _zero_of(name, schema, go_types))
    return shape


def _field_of(name: str, schema: Schema, go_types: _GoTypes, made: _Shapes) -> Field:
    shape = _shape_of_schema(schema, made, go_types.named.get(name, ""))
    if isinstance(shape, _COLLECTIONS):
        return Field(shape, None, drops_empty=name not in go_types.kept)
    is_scalar = "type" in schema
    drops_empty = is_scalar and name not in go_types.pointers and "default" not in schema
    return Field(shape, _plain_type_of(schema), drops_empty=drops_empty)


def _plain_type_of(schema: Schema) -> type | None:
    return None if "format" in schema else _PLAIN_TYPES.get(schema.get("type", ""))


def _zero_of(name: str, schema: Schema, go_types: _GoTypes) -> Callable[[], Any] | None:
    if name in go_types.kept:
        return lambda: None
    if "default" not in schema or name in {"apiVersion", "kind"}:
        return None
    default = schema["default"]
    if default == {}:
        return dict if _has_fields(schema) else None
    return lambda: default


def _has_fields(schema: Schema) -> bool:
    """Whether it is a struct: the zero of a time or a quantity is not an empty object."""
    return _reference_of(schema) not in _SPECIAL


def _reference_of(schema: Schema) -> str | None:
    reference = schema.get("$ref") or (schema["allOf"][0]["$ref"] if "allOf" in schema else None)
    return reference.removeprefix(_REFERENCE) if reference else None


def _shape_of_schema(schema: Schema, made: _Shapes, go_type: str = "") -> Shape:
    if (reference := _reference_of(schema)) is not None:
        return _compiled(reference, made)
    match schema.get("type"):
        case "array":
            return ListShape(_shape_of_schema(schema["items"], made))
        case "object" if "additionalProperties" in schema:
            return MapShape(_shape_of_schema(schema["additionalProperties"], made), go_type)
        case "string" if schema.get("format") == "byte":
            return ScalarShape("[]uint8", scalars.as_bytes, "")
        case "string":
            return ScalarShape(go_type or "string", scalars.as_string, "")
    return _SCALARS[schema.get("type", ""), schema.get("format", "")]


_SCALARS: Mapping[tuple[str, str], Shape] = {
    ("boolean", ""): ScalarShape("bool", scalars.as_bool, zero=False),
    ("integer", "int32"): ScalarShape("int32", scalars.as_integer, zero=0),
    ("integer", "int64"): ScalarShape("int64", scalars.as_integer, zero=0),
    ("number", "double"): ScalarShape("float64", scalars.as_number, zero=0),
}


@cache
def _go_types() -> Mapping[str, _GoTypes]:
    return msgspec.json.decode((DATA / "go_types.json").read_bytes(), type=dict[str, _GoTypes])
