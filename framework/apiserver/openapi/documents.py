"""The OpenAPI documents of one set of resources, built when first asked for."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from framework.apiserver.discovery import Document
from framework.apiserver.objects import Object
from framework.apiserver.openapi.schemas import SchemaSource
from framework.apiserver.openapi.v2 import v2_document
from framework.apiserver.openapi.v3 import v3_document
from framework.apiserver.resource import Resource


class OpenApiDocuments:
    """Of the resources and CustomResourceDefinitions of one moment: whoever changes them makes new documents.

    Documents that a change does not concern are taken over from *previous*: resources and definitions are the same if
    they are the same objects.
    """

    def __init__(
        self,
        resources: Iterable[Resource],
        custom_resource_definitions: Iterable[Object] = (),
        *,
        previous: "OpenApiDocuments | None" = None,
    ) -> None:
        definitions: dict[str, list[Object]] = {}
        for definition in custom_resource_definitions:
            definitions.setdefault(definition["spec"]["group"], []).append(definition)
        self._sources: dict[str, _Source] = {}
        for resource in resources:
            prefix = f"apis/{resource.group}" if resource.group else "api"
            empty = _Source([], definitions.get(resource.group, []))
            self._sources.setdefault(f"{prefix}/{resource.version}", empty).resources.append(resource)
        self._v3 = previous.unchanged(self._sources) if previous else {}

    def v3(self, path: str) -> Document | None:
        """The document at `/openapi/v3/` followed by *path*: `api/v1` or `apis/GROUP/VERSION`."""
        source = self._sources.get(path)
        if source is None:
            return None
        if path not in self._v3:
            self._v3[path] = _document(v3_document(source.resources, SchemaSource(source.definitions)))
        return self._v3[path]

    @cached_property
    def v3_index(self) -> bytes:
        """`/openapi/v3`."""
        paths = {path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={self._hash(path)}"} for path in self._sources}
        return msgspec.json.encode({"paths": dict(sorted(paths.items()))})

    @cached_property
    def v2(self) -> Document:
        """`/openapi/v2` as JSON."""
        resources = [resource for source in self._sources.values() for resource in source.resources]
        definitions = [definition for source in self._sources.values() for definition in source.definitions]
        return _document(v2_document(resources, SchemaSource(definitions)))

    def unchanged(self, sources: Mapping[str, "_Source"]) -> dict[str, Document]:
        """The documents there are already for *sources*."""
        return {
            path: document
            for path, document in self._v3.items()
            if path in sources and sources[path].is_same_as(self._sources[path])
        }

    def _hash(self, path: str) -> str:
        document = self.v3(path)
        return document.etag if document else ""


class _Source(NamedTuple):
    """What one document is made of."""

    resources: list[Resource]
    definitions: list[Object]

    def is_same_as(self, other: "_Source") -> bool:
        mine, theirs = [*self.resources, *self.definitions], [*other.resources, *other.definitions]
        return len(mine) == len(theirs) and all(one is another for one, another in zip(mine, theirs, strict=True))


def _document(content: Mapping[str, Any]) -> Document:
    body = msgspec.json.encode(content)
    return Document(body, hashlib.sha512(body).hexdigest().upper())
