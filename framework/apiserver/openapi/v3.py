"""OpenAPI v3: one document for each group and version."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from framework.apiserver.discovery.entries import is_custom
from framework.apiserver.openapi.operations import STATUS, Operation, operations_of
from framework.apiserver.openapi.parameters import Parameter
from framework.apiserver.openapi.schemas import SchemaSource
from framework.apiserver.resource import Resource

_REASONS = {200: "OK", 201: "Created", 202: "Accepted"}
_JSON = "application/json"


def v3_document(resources: Sequence[Resource], schemas: SchemaSource) -> dict[str, Any]:
    """The document of the group and version that all *resources* are of."""
    operations = [operation for resource in resources for operation in operations_of(resource)]
    roots = {STATUS, *(name for operation in operations for name in _schemas_of(operation))}
    return {
        "openapi": "3.0.0",
        "info": _info(resources),
        "paths": _paths(operations),
        "components": {"schemas": schemas.closure(roots), **_security(resources)},
    }


def _info(resources: Sequence[Resource]) -> dict[str, str]:
    if all(is_custom(resource) for resource in resources):
        return {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
    return {"title": "Kubernetes", "version": "1.36"}


def _security(resources: Sequence[Resource]) -> dict[str, Any]:
    if all(is_custom(resource) for resource in resources):
        return {}
    token = {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
    return {"securitySchemes": {"BearerToken": token}}


def _paths(operations: Iterable[Operation]) -> dict[str, Any]:
    by_path: dict[str, list[Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, []).append(operation)
    return {path: _path_item(by_path[path]) for path in sorted(by_path)}


def _path_item(operations: Sequence[Operation]) -> dict[str, Any]:
    shared = shared_parameters(operations)
    item: dict[str, Any] = {operation.method: _operation(operation, shared) for operation in operations}
    return {**item, "parameters": [_parameter(parameter) for parameter in shared]}


def shared_parameters(operations: Sequence[Operation]) -> Sequence[Parameter]:
    """Those that every operation of a path has: documents tell them once, at the path."""
    first, *others = operations
    shared = [parameter for parameter in first.parameters if all(parameter in one.parameters for one in others)]
    return sorted(shared, key=lambda parameter: parameter.name)


def _operation(operation: Operation, shared: Sequence[Parameter]) -> dict[str, Any]:
    rendered: dict[str, Any] = {
        "tags": [operation.tag],
        "description": operation.description,
        "operationId": operation.id,
    }
    if own := [parameter for parameter in operation.parameters if parameter not in shared]:
        rendered["parameters"] = [_parameter(parameter) for parameter in own]
    if operation.body is not None:
        rendered["requestBody"] = _body(operation, operation.body)
    return {
        **rendered,
        "responses": _responses(operation),
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": kind_of(operation),
    }


def kind_of(operation: Operation) -> Mapping[str, str]:
    return {"group": operation.group, "version": operation.version, "kind": operation.kind}


def _body(operation: Operation, schema: str) -> dict[str, Any]:
    content = {media_type: {"schema": _reference(schema)} for media_type in operation.body_types}
    return {"content": content, **({} if operation.method == "delete" else {"required": True})}


def _responses(operation: Operation) -> dict[str, Any]:
    responses: dict[str, Any] = {
        str(code): {"description": _REASONS[code], "content": {_JSON: {"schema": _reference(schema)}}}
        for code, schema in operation.responses.items()
    }
    return {**responses, "401": {"description": "Unauthorized"}}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    required = {"required": True} if parameter.location == "path" else {}
    return {
        "name": parameter.name,
        "in": parameter.location,
        "description": parameter.description,
        **required,
        "schema": {"type": parameter.type, "uniqueItems": True},
    }


def _schemas_of(operation: Operation) -> Iterable[str]:
    return (*operation.responses.values(), *((operation.body,) if operation.body else ()))


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
