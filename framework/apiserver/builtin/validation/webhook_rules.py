"""Which requests a webhook wants to see."""

from collections.abc import Sequence

from framework.apiserver.builtin.validation.checks import Errors
from framework.apiserver.fields import invalid_value, required, unsupported
from framework.apiserver.objects import Object

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")


def rule(path: str, one: Object) -> Errors:
    operations = one.get("operations") or ()
    yield from _list(f"{path}.operations", operations, "operations")
    for position, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            yield unsupported(f"{path}.operations[{position}]", operation, _OPERATIONS)
    yield from _list(f"{path}.apiGroups", one.get("apiGroups") or (), "API groups")
    versions = one.get("apiVersions") or ()
    yield from _list(f"{path}.apiVersions", versions, "API versions")
    for position, version in enumerate(versions):
        if not version:
            yield required(f"{path}.apiVersions[{position}]")
    yield from _resources(f"{path}.resources", one.get("resources") or ())
    scope = one.get("scope")
    if scope is not None and scope not in _SCOPES:
        yield unsupported(f"{path}.scope", scope, _SCOPES)


def _list(field: str, values: Sequence[str], what: str) -> Errors:
    if not values:
        yield required(field)
    elif len(values) > 1 and "*" in values:
        yield invalid_value(field, values, f"if '*' is present, must not specify other {what}")


def _resources(path: str, resources: Sequence[str]) -> Errors:
    if not resources:
        yield required(path)
    yield from _overlaps(path, resources)
    if len(resources) > 1 and "*/*" in resources:
        yield invalid_value(path, resources, "if '*/*' is present, must not specify other resources")
    plain = [resource for resource in resources if resource and "/" not in resource]
    # Only the last plain one counts, as in the real server.
    if "*" in plain and plain[-1] != "*":
        detail = "if '*' is present, must not specify other resources without subresources"
        yield invalid_value(path, resources, detail)


def _overlaps(path: str, resources: Sequence[str]) -> Errors:
    with_all_subresources: set[str] = set()
    of_all_resources: set[str] = set()
    for position, name in enumerate(resources):
        field = f"{path}[{position}]"
        if not name:
            yield required(field)
            continue
        resource, slash, subresource = name.partition("/")
        if not slash:
            continue
        if resource in with_all_subresources:
            yield invalid_value(field, name, f"if '{resource}/*' is present, must not specify {name}")
        if subresource in of_all_resources:
            yield invalid_value(field, name, f"if '*/{subresource}' is present, must not specify {name}")
        if subresource == "*":
            with_all_subresources.add(resource)
        if resource == "*":
            of_all_resources.add(subresource)
