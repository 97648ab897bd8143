"""Discovery and OpenAPI documents on a socket, without a server behind them, for clients that only read these."""

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import msgspec

from framework.apiserver.discovery import DiscoveryDocuments, DiscoveryEndpoints, HealthChecks
from framework.apiserver.objects import Object
from framework.apiserver.openapi import OpenApiDocuments, OpenApiEndpoints
from framework.apiserver.resource import Resource
from framework.apiserver.status import status_document
from framework.errors import ApiError
from framework.http.exchange import Answer, ServerRequest
from framework.runtime import ThreadRuntime


class ServedDocuments:
    """A context manager; *url* is where the documents are."""

    def __init__(self, resources: list[Resource], definitions: list[Object]) -> None:
        self.discovery = DiscoveryDocuments(resources)
        self.openapi = OpenApiDocuments(resources, definitions)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._task = ThreadRuntime().spawn("served-documents", self._server.serve_forever)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._task.join()

    def answer(self, request: ServerRequest) -> Answer:
        discovery = DiscoveryEndpoints(lambda: self.discovery, HealthChecks())
        try:
            found = discovery.answer(request) or OpenApiEndpoints(lambda: self.openapi).answer(request)
        except ApiError as error:
            return Answer(error.code, {}, msgspec.json.encode(status_document(error)))
        return found or Answer(404, {}, b"404 page not found\n")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        answer: Callable[[ServerRequest], Answer] = self.answer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                found = answer(ServerRequest("GET", self.path, headers))
                self.send_response(found.status)
                for name, value in found.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(found.body)))
                self.end_headers()
                self.wfile.write(found.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
                """Say nothing."""

        return Handler
