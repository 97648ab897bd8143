"""Where the documents find their schemas."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from framework.apiserver.builtin import definitions, described
from framework.apiserver.objects import Object
from framework.apiserver.openapi.custom import custom_schemas

_PREFIX = "#/components/schemas/"


class SchemaSource:
    """The schemas of the built-in kinds, and of the versions that CustomResourceDefinitions serve."""

    def __init__(self, custom_resource_definitions: Iterable[Object]) -> None:
        self._custom: dict[str, Mapping[str, Any]] = {}
        for definition in custom_resource_definitions:
            for version in definition["spec"]["versions"]:
                if version["served"]:
                    self._custom |= custom_schemas(definition, version["name"])

    def closure(self, roots: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """The schemas *roots* and all that they refer to, by name."""
        found: dict[str, Mapping[str, Any]] = {}
        wanted = list(roots)
        while wanted:
            name = wanted.pop()
            if name not in found and (schema := self._schema(name)) is not None:
                found[name] = schema
                wanted.extend(_references(schema))
        return dict(sorted(found.items()))

    def _schema(self, name: str) -> Mapping[str, Any] | None:
        if name in definitions():
            return described(name)
        return self._custom.get(name)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str):
                yield value.removeprefix(_PREFIX)
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for one in schema:
            yield from _references(one)
