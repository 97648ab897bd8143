"""The embedded server called as a function, with the face of `Api`."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from framework.apiserver.server import ADMIN, ApiServer
from framework.http.exchange import Answer, EventStream, ServerRequest
from tests.conformance.api import JSON, Reply, with_query

_HEADERS = {"user-agent": "conformance/1"}


class InProcessApi:
    """The administrator's view of *server*; nothing blocks."""

    name = "embedded"

    def __init__(self, server: ApiServer) -> None:
        self._server = server

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Reply:
        headers = {**_HEADERS, "accept": accept}
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if content:
            headers["content-type"] = content_type
        answer = self._server.handle(ServerRequest(method, with_query(path, query), headers, content, ADMIN))
        return Reply(answer.status, _lower(answer), answer.body, answer.warnings)

    @contextmanager
    def watch(
        self, path: str, query: Mapping[str, Any] | None = None, *, accept: str = JSON
    ) -> Iterator["InProcessWatch"]:
        target = with_query(path, {"watch": "true", **(query or {})})
        headers = {**_HEADERS, "accept": accept}
        answer = self._server.handle(ServerRequest("GET", target, headers, b"", ADMIN))
        try:
            yield InProcessWatch(answer)
        finally:
            if answer.stream is not None:
                answer.stream.close()


class InProcessWatch:
    def __init__(self, answer: Answer) -> None:
        self.status = answer.status
        self._stream: EventStream | None = answer.stream
        # The answer is one line if it is an error.
        self._lines = answer.body.splitlines()
        self._is_ready = False
        if answer.stream is not None:
            answer.stream.on_ready(self._wake)

    def next(self) -> Any:
        """The next event; None if there is none now."""
        while not self._lines and self._is_ready and self._stream is not None:
            self._is_ready = False
            if chunk := self._stream.read():
                self._lines = chunk.splitlines()
                self._is_ready = True
        return json.loads(self._lines.pop(0)) if self._lines else None

    def _wake(self) -> None:
        self._is_ready = True


def _lower(answer: Answer) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.headers.items()}
