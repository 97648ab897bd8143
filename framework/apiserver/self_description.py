"""What the server tells about itself: discovery, OpenAPI, version, health."""

from functools import cached_property
from typing import Any

from framework.apiserver.discovery import DiscoveryDocuments, DiscoveryEndpoints, HealthChecks
from framework.apiserver.registry import Registry
from framework.apiserver.resource import Resource
from framework.http.exchange import Answer, ServerRequest
from framework.loading import LOADING


class SelfDescription:
    """Made when first asked: most requests are about objects."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._discovery = DiscoveryEndpoints(self._documents, HealthChecks())
        self._documents_of: tuple[Resource, ...] | None = None
        self._known_documents = DiscoveryDocuments(())
        self._schemas_of: tuple[Resource, ...] | None = None
        self._known_schemas: Any = None

    def answer(self, request: ServerRequest) -> Answer | None:
        """The answer to *request*; None if its path is nobody's."""
        answer: Answer | None = self._discovery.answer(request) or self._openapi.answer(request)
        return answer

    @cached_property
    def _openapi(self) -> Any:
        # Asked for by few; the first question that every client has is whether the server is ready.
        with LOADING:
            from framework.apiserver.openapi import OpenApiEndpoints

        return OpenApiEndpoints(self._schemas)

    def _documents(self) -> DiscoveryDocuments:
        resources = self._registry.all()
        if self._documents_of is not resources:
            self._known_documents, self._documents_of = DiscoveryDocuments(resources), resources
        return self._known_documents

    def _schemas(self) -> Any:
        with LOADING:
            from framework.apiserver.openapi import OpenApiDocuments

        resources = self._registry.all()
        if self._known_schemas is None or self._schemas_of is not resources:
            definitions = self._registry.definitions
            self._known_schemas = OpenApiDocuments(resources, definitions, previous=self._known_schemas)
            self._schemas_of = resources
        return self._known_schemas
