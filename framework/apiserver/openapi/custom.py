"""The schemas of custom resources, made from the schemas in their CustomResourceDefinitions."""

from collections.abc import Mapping
from typing import Any

from framework.apiserver.builtin import described
from framework.apiserver.objects import Object
from framework.apiserver.openapi.names import schema_name

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_JUNCTORS = ("allOf", "anyOf", "oneOf")
_EMBEDDED_TYPE_META = {
    "apiVersion": {
        "description": "apiVersion defines the versioned schema of this representation of an object. "
        f"More info: {_CONVENTIONS}#resources",
        "type": "string",
    },
    "kind": {
        "description": "kind is a string value representing the type of this object. In CamelCase. "
        f"More info: {_CONVENTIONS}#types-kinds",
        "type": "string",
    },
}


def custom_schemas(definition: Object, version: str) -> Mapping[str, Mapping[str, Any]]:
    """The schemas of the kind and of its list, by name, for one version of a CustomResourceDefinition."""
    spec = definition["spec"]
    group, names = spec["group"], spec["names"]
    served = next(one for one in spec["versions"] if one["name"] == version)
    extensions = _selectable_fields(served)
    kind, list_kind = names["kind"], names.get("listKind") or f"{names['kind']}List"
    schema = _object_schema((served.get("schema") or {}).get("openAPIV3Schema"))
    item = schema_name(group, version, kind)
    return {
        item: {**schema, **_kind_extension(group, version, kind), **extensions},
        schema_name(group, version, list_kind): {
            **_list_schema(kind, list_kind, names["plural"], item),
            **_kind_extension(group, version, list_kind),
            **extensions,
        },
    }


def _object_schema(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        # Properties would make clients believe that there are no others.
        return {"type": "object"}
    converted = _structural(schema)
    own = {**converted.get("properties", {}), "metadata": _metadata(), **_type_meta()}
    return {**converted, "properties": own}


def _list_schema(kind: str, list_kind: str, plural: str, item: str) -> dict[str, Any]:
    return {
        "description": f"{list_kind} is a list of {kind}",
        "type": "object",
        "required": ["items"],
        "properties": {
            **_type_meta(),
            "items": {
                "description": f"List of {plural}. More info: {_CONVENTIONS}",
                "type": "array",
                "items": _reference(item),
            },
            "metadata": {
                "description": f"Standard list metadata. More info: {_CONVENTIONS}#types-kinds",
                "allOf": [_reference(f"{_META}.ListMeta")],
            },
        },
    }


def _structural(schema: Mapping[str, Any]) -> dict[str, Any]:
    converted = {keyword: value for keyword, value in schema.items() if not _is_empty(keyword, value)}
    if "properties" in converted:
        converted["properties"] = {name: _structural(one) for name, one in converted["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(converted.get(keyword), Mapping):
            converted[keyword] = _structural(converted[keyword])
    for keyword in _JUNCTORS:
        if keyword in converted:
            converted[keyword] = [_clause(one) for one in converted[keyword]]
    if "not" in converted:
        converted["not"] = _clause(converted["not"])
    if converted.get("x-kubernetes-int-or-string"):
        _unfold_int_or_string(converted)
    if converted.get("x-kubernetes-embedded-resource"):
        _add_object_fields(converted)
    return converted


def _clause(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A member of allOf and its like: it may restrict values, and knows nothing of additional properties."""
    converted = _structural(schema)
    converted.pop("additionalProperties", None)
    return converted


def _is_empty(keyword: str, value: Any) -> bool:
    """What the real server leaves out because it says nothing."""
    if keyword in ("default", "example"):
        return value is None
    if keyword in ("additionalProperties", "items"):
        return False
    return value is None or value is False or value in ("", [], {})


def _unfold_int_or_string(schema: dict[str, Any]) -> None:
    """Say the two types of an int-or-string in words that every reader of schemas knows, unless it says them itself."""
    clauses = schema.get("allOf", [])
    if _INT_OR_STRING in (schema.get("anyOf"), *(clause.get("anyOf") for clause in clauses[:1])):
        return
    if "anyOf" in schema:
        schema["allOf"] = [{"anyOf": _INT_OR_STRING}, *clauses]
    else:
        schema["anyOf"] = _INT_OR_STRING


def _add_object_fields(schema: dict[str, Any]) -> None:
    schema["properties"] = {**schema.get("properties", {}), **_EMBEDDED_TYPE_META, "metadata": _metadata()}
    required = schema.get("required", ())
    schema["required"] = [*required, *(name for name in ("kind", "apiVersion") if name not in required)]


def _metadata() -> dict[str, Any]:
    return {
        "description": f"Standard object's metadata. More info: {_CONVENTIONS}#metadata",
        "allOf": [_reference(f"{_META}.ObjectMeta")],
    }


def _type_meta() -> dict[str, Any]:
    # Every built-in kind has the same two; the smallest one lends them.
    properties = described(f"{_META}.Status")["properties"]
    return {"apiVersion": properties["apiVersion"], "kind": properties["kind"]}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _kind_extension(group: str, version: str, kind: str) -> dict[str, Any]:
    return {"x-kubernetes-group-version-kind": [{"group": group, "kind": kind, "version": version}]}


def _selectable_fields(served: Mapping[str, Any]) -> dict[str, Any]:
    paths = [field["jsonPath"].removeprefix(".") for field in served.get("selectableFields") or ()]
    return {"x-kubernetes-selectable-fields": [{"fieldPath": path} for path in paths]} if paths else {}
