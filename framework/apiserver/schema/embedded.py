"""Whole resources inside of objects: their apiVersion, kind and metadata follow the rules of every resource."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from framework.apiserver.fields import FieldError, invalid_value, required
from framework.apiserver.objectmeta.names import dns_1035_label_problems
from framework.apiserver.objects import Object
from framework.apiserver.schema import paths
from framework.apiserver.schema.embedded_metadata import coerce_metadata, embedded_metadata_errors, unreadable
from framework.apiserver.schema.json_schema import JSONSchema

# Finds the resources in a value, with their paths.
Finder: TypeAlias = Callable[[Any, str], Iterator[tuple[str, dict[str, Any]]]]


class EmbeddedResources:
    def __init__(self, find: Finder) -> None:
        self._find = find

    def coerce(self, obj: Object) -> list[str]:
        """Prune their metadata in place; return the paths of what went. Raises BadRequest for what cannot be read."""
        dropped = []
        for path, resource in self._find(obj, ""):
            for name in ("apiVersion", "kind"):
                if name in resource and not isinstance(resource[name], str):
                    problem = invalid_value(paths.child(path, name), resource[name], "must be a string")
                    raise unreadable(obj, str(problem))
            dropped += coerce_metadata(obj, resource, path)
        return sorted(dropped)

    def errors(self, value: Any, path: str = "") -> list[FieldError]:
        return [error for place, resource in self._find(value, path) for error in resource_errors(resource, place)]


def compile_embedded(schema: JSONSchema) -> EmbeddedResources | None:
    """None if *schema* has none; the root itself is not meant."""
    find = _finder(schema, is_root=True)
    return None if find is None else EmbeddedResources(find)


def resource_errors(resource: dict[str, Any], path: str) -> list[FieldError]:
    errors = [required(paths.child(path, name)) for name in ("apiVersion", "kind") if name not in resource]
    if "apiVersion" in resource:
        errors += _string_errors(paths.child(path, "apiVersion"), resource["apiVersion"], _api_version_problem)
    if "kind" in resource:
        errors += _string_errors(paths.child(path, "kind"), resource["kind"], _kind_problem)
    if "metadata" in resource:
        errors += embedded_metadata_errors(resource["metadata"], path)
    return errors


def _string_errors(path: str, value: Any, problem_of: Callable[[str], str]) -> list[FieldError]:
    if not isinstance(value, str):
        return [invalid_value(path, value, "must be a string")]
    problem = problem_of(value) if value else "must not be empty"
    return [invalid_value(path, value, problem)] if problem else []


def _api_version_problem(value: str) -> str:
    return f"unexpected GroupVersion string: {value}" if value.count("/") > 1 else ""


def _kind_problem(value: str) -> str:
    problems = dns_1035_label_problems(value.lower())
    return f"may have mixed case, but should otherwise match: {','.join(problems)}" if problems else ""


def _finder(schema: JSONSchema, *, is_root: bool) -> Finder | None:
    properties = (schema.properties or {}).items()
    fields = {name: found for name, inner in properties if (found := _finder(inner, is_root=False)) is not None}
    find_value = _finder(schema.value_schema, is_root=False) if schema.value_schema is not None else None
    find_item = _finder(schema.item_schema, is_root=False) if schema.item_schema is not None else None
    is_resource = schema.is_embedded and not is_root
    if not (fields or find_value or find_item or is_resource):
        return None

    def find(value: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        if type(value) is dict:
            if is_resource:
                yield path, value
            for name, inner in list(value.items()):
                if name in fields:
                    yield from fields[name](inner, paths.child(path, name))
                elif find_value is not None:
                    yield from find_value(inner, paths.key(path, name))
        elif type(value) is list and find_item is not None:
            for at, item in enumerate(value):
                yield from find_item(item, paths.index(path, at))

    return find
