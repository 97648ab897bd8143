"""Which requests a resource takes: what the documents of all versions have in common."""

from collections.abc import Iterator, Sequence

import msgspec

from framework.apiserver.discovery.entries import Subresource, is_custom, subresources_of
from framework.apiserver.openapi.names import operation_words, schema_name
from framework.apiserver.openapi.parameters import Parameter, path_parameters, query_parameters
from framework.apiserver.resource import Resource

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
STATUS, PATCH, DELETE_OPTIONS = f"{_META}.Status", f"{_META}.Patch", f"{_META}.DeleteOptions"
_PATCH_TYPES = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)
_STRATEGIC = "application/strategic-merge-patch+json"

# By verb of discovery: method, x-kubernetes-action, first word of the operationId, and of the description.
_COLLECTION_VERBS = {
    "list": ("get", "list", "list", "list objects of kind {kind}"),
    "create": ("post", "post", "create", "create {a_kind}"),
    "deletecollection": ("delete", "deletecollection", "delete", "delete collection of {kind}"),
}
_OBJECT_VERBS = {
    "get": ("get", "get", "read", "read {part}the specified {kind}"),
    "update": ("put", "put", "replace", "replace {part}the specified {kind}"),
    "delete": ("delete", "delete", "delete", "delete {part}{a_kind}"),
    "patch": ("patch", "patch", "patch", "partially update {part}the specified {kind}"),
    "create": ("post", "post", "create", "create {part}{a_kind}"),
}


class Operation(msgspec.Struct, frozen=True):
    """One request; schemas by name."""

    path: str
    method: str
    action: str
    id: str
    tag: str
    description: str
    group: str
    version: str
    kind: str
    parameters: Sequence[Parameter]
    responses: dict[int, str]
    body: str | None = None
    body_types: Sequence[str] = ("application/json",)


def operations_of(resource: Resource) -> Iterator[Operation]:
    """All requests for *resource* and its subresources, path by path."""
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    scope = "/namespaces/{namespace}" if resource.is_namespaced else ""
    collection = f"{root}{scope}/{resource.plural}"
    if resource.is_namespaced and "list" in resource.verbs:
        yield _operation(resource, f"{root}/{resource.plural}", "list", _COLLECTION_VERBS, None)
    for verb in _COLLECTION_VERBS:
        if verb in resource.verbs:
            yield _operation(resource, collection, verb, _COLLECTION_VERBS, None)
    for verb in _OBJECT_VERBS:
        if verb in resource.verbs and verb != "create":
            yield _operation(resource, f"{collection}/{{name}}", verb, _OBJECT_VERBS, None)
    for subresource in subresources_of(resource):
        if _is_stream(subresource):
            continue
        path = f"{collection}/{{name}}/{subresource.name}"
        for verb in _OBJECT_VERBS:
            if verb in subresource.verbs:
                yield _operation(resource, path, verb, _OBJECT_VERBS, subresource)


def _is_stream(subresource: Subresource) -> bool:
    # What exec, proxy, log and their like carry has no schema.
    return subresource.name == "log" or subresource.kind.endswith("Options")


def _operation(
    resource: Resource,
    path: str,
    verb: str,
    verbs: dict[str, tuple[str, str, str, str]],
    subresource: Subresource | None,
) -> Operation:
    method, action, word, text = verbs[verb]
    target = subresource or resource
    # Custom resources name themselves even where they answer with a Scale.
    named = resource if is_custom(resource) else target
    part = f"{subresource.name} of " if subresource else ""
    body, body_types = _body(resource, action, target)
    return Operation(
        path=path,
        method=method,
        action=action,
        id=_identifier(resource, path, word, action, subresource),
        tag=operation_words(resource.group, resource.version).tag,
        description=text.format(kind=resource.kind, part=part, a_kind=_with_article(resource.kind)),
        group=named.group,
        version=named.version,
        kind=named.kind,
        parameters=[*path_parameters(path, resource.kind), *query_parameters(action)],
        responses=_responses(resource, action, target),
        body=body,
        body_types=body_types,
    )


def _identifier(resource: Resource, path: str, word: str, action: str, subresource: Subresource | None) -> str:
    group_words = operation_words(resource.group, resource.version).title
    collection = "Collection" if action == "deletecollection" else ""
    if resource.is_namespaced and "{namespace}" not in path:
        return f"{word}{group_words}{resource.kind}ForAllNamespaces"
    namespaced = "Namespaced" if resource.is_namespaced else ""
    part = subresource.name.capitalize() if subresource else ""
    return f"{word}{group_words}{collection}{namespaced}{resource.kind}{part}"


def _body(resource: Resource, action: str, target: Resource | Subresource) -> tuple[str | None, Sequence[str]]:
    if action == "patch":
        types = _PATCH_TYPES if not resource.is_custom else [one for one in _PATCH_TYPES if one != _STRATEGIC]
        return PATCH, types
    if action in ("delete", "deletecollection"):
        return DELETE_OPTIONS, ("application/json",)
    if action in ("post", "put"):
        return schema_name(target.group, target.version, target.kind), ("application/json",)
    return None, ()


def _responses(resource: Resource, action: str, target: Resource | Subresource) -> dict[int, str]:
    own = schema_name(target.group, target.version, target.kind)
    if action == "list":
        return {200: schema_name(resource.group, resource.version, resource.list_kind)}
    if action == "deletecollection":
        return {200: STATUS}
    if action == "delete":
        answer = own if resource.returns_deleted_object else STATUS
        return {200: answer, 202: answer}
    codes = {"post": (200, 201, 202), "put": (200, 201), "patch": (200, 201)}.get(action, (200,))
    return dict.fromkeys(codes, own)


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
