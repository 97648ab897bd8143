"""OpenAPI v2: one document for everything, which older clients read."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.openapi.operations import STATUS, Operation, operations_of
from framework.apiserver.openapi.parameters import Parameter
from framework.apiserver.openapi.schemas import SchemaSource
from framework.apiserver.openapi.v3 import kind_of, shared_parameters
from framework.apiserver.resource import Resource

_REASONS = {200: "OK", 201: "Created", 202: "Accepted"}
_JSON = "application/json"
_V3_PREFIX, _V2_PREFIX = "#/components/schemas/", "#/definitions/"
# Version 2 has no way to say that a value is one of two types.
_STRINGS_IN_V2 = ("io.k8s.apimachinery.pkg.api.resource.Quantity", "io.k8s.apimachinery.pkg.util.intstr.IntOrString")
_JUNCTORS = ("allOf", "anyOf", "oneOf", "not")
_KEEPS_UNKNOWN = "x-kubernetes-preserve-unknown-fields"


def v2_document(resources: Sequence[Resource], schemas: SchemaSource) -> dict[str, Any]:
    by_path: dict[str, list[Operation]] = {}
    roots = {STATUS}
    for resource in resources:
        for operation in operations_of(resource):
            by_path.setdefault(operation.path, []).append(operation)
            roots |= {*operation.responses.values(), *((operation.body,) if operation.body else ())}
    return {
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "1.36"},
        "paths": {path: _path_item(by_path[path]) for path in sorted(by_path)},
        "definitions": {name: _definition(name, schema) for name, schema in schemas.closure(roots).items()},
        "securityDefinitions": {
            "BearerToken": {
                "description": "Bearer Token authentication",
                "type": "apiKey",
                "name": "authorization",
                "in": "header",
            }
        },
        "security": [{"BearerToken": []}],
    }


def _path_item(operations: Sequence[Operation]) -> dict[str, Any]:
    shared = shared_parameters(operations)
    item: dict[str, Any] = {operation.method: _operation(operation, shared) for operation in operations}
    return {**item, "parameters": [_parameter(parameter) for parameter in shared]}


def _operation(operation: Operation, shared: Sequence[Parameter]) -> dict[str, Any]:
    parameters = [_parameter(parameter) for parameter in operation.parameters if parameter not in shared]
    if operation.body is not None:
        required = {} if operation.method == "delete" else {"required": True}
        parameters.insert(0, {"name": "body", "in": "body", **required, "schema": _reference(operation.body)})
    return {
        "description": operation.description,
        "consumes": list(operation.body_types) or [_JSON],
        "produces": [_JSON],
        "schemes": ["https"],
        "tags": [operation.tag],
        "operationId": operation.id,
        **({"parameters": parameters} if parameters else {}),
        "responses": {
            **{
                str(code): {"description": _REASONS[code], "schema": _reference(schema)}
                for code, schema in operation.responses.items()
            },
            "401": {"description": "Unauthorized"},
        },
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": kind_of(operation),
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    required = {"required": True} if parameter.location == "path" else {}
    return {
        "uniqueItems": True,
        "type": parameter.type,
        "description": parameter.description,
        "name": parameter.name,
        "in": parameter.location,
        **required,
    }


def _definition(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if name in _STRINGS_IN_V2:
        return {**{keyword: value for keyword, value in schema.items() if keyword != "oneOf"}, "type": "string"}
    if schema.get(_KEEPS_UNKNOWN):
        # Clients of version 2 would take the properties for all that there may be.
        kept = ("x-kubernetes-group-version-kind", "x-kubernetes-selectable-fields")
        return {"type": "object", **{keyword: schema[keyword] for keyword in kept if keyword in schema}}
    return _schema(schema)


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """*schema* without what version 2, or kubectl's reader of it, does not understand."""
    converted = {keyword: value for keyword, value in schema.items() if keyword not in (*_JUNCTORS, "default")}
    if reference := _only_reference(schema):
        return {**converted, "$ref": reference.replace(_V3_PREFIX, _V2_PREFIX)}
    if converted.pop("nullable", False):
        _drop(converted, "type", "items", "properties")
    if converted.get(_KEEPS_UNKNOWN):
        _drop(converted, "items", "properties")
        if converted.get("type") == "object":
            _drop(converted, "type")
    if converted.get("type") == "array" and "items" not in converted:
        _drop(converted, "type")
    return _with_converted_children(converted)


def _with_converted_children(schema: dict[str, Any]) -> dict[str, Any]:
    if properties := schema.get("properties"):
        nullable = {name for name, one in properties.items() if one.get("nullable")}
        schema["properties"] = {name: _schema(one) for name, one in properties.items()}
        required = [name for name in schema.get("required", ()) if name not in nullable]
        schema.pop("required", None)
        if required:
            schema["required"] = required
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), Mapping):
            schema[keyword] = _schema(schema[keyword])
    return schema


def _only_reference(schema: Mapping[str, Any]) -> str | None:
    clauses = schema.get("allOf") or []
    target = schema.get("$ref") or (clauses[0].get("$ref") if len(clauses) == 1 else None)
    return target if isinstance(target, str) else None


def _drop(schema: dict[str, Any], *keywords: str) -> None:
    for keyword in keywords:
        schema.pop(keyword, None)


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"{_V2_PREFIX}{name}"}
