"""One way to talk to any API server: requests as they are, answers as they come."""

import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec

from framework.testing.tls import for_mortal_servers

JSON = "application/json"
MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"
_TIMEOUT_SECONDS = 60.0


class Reply(msgspec.Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    body: bytes
    warnings: tuple[str, ...] = ()

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def ok(self) -> Any:
        """The document of an answer that must not be a refusal."""
        assert self.status < 300, self.body
        return self.document

    def check(self) -> None:
        """Fail if this is a refusal."""
        assert self.status < 300, self.body

    @property
    def error(self) -> tuple[int, str, str]:
        """Code, reason and message of a refusal."""
        assert self.status >= 400, self.body
        return self.status, self.reason, self.message

    @property
    def reason(self) -> str:
        return str(self.document.get("reason", ""))

    @property
    def message(self) -> str:
        return str(self.document.get("message", ""))

    @property
    def causes(self) -> list[Any]:
        return list((self.document.get("details") or {}).get("causes") or ())


class Api:
    """The administrator's view of one server; *name* is `embedded` or `real`."""

    def __init__(
        self,
        name: str,
        url: str,
        *,
        ca_file: Path,
        headers: Mapping[str, str],
        pair: Any = None,
        compact: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.url = url
        # Makes the server forget what is past.
        self.compact = compact
        self._headers = dict(headers)
        self._ca_file = ca_file
        self._context = for_mortal_servers(ssl.create_default_context(cafile=str(ca_file)))
        if pair is not None:
            self._context.load_cert_chain(*pair)
        self._connection: http.client.HTTPSConnection | None = None

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        target = with_query(path, query)
        sent = {**self._headers, "Accept": accept, "User-Agent": "conformance/1", **(headers or {})}
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if content is not None:
            sent["Content-Type"] = content_type
        for attempt in range(2):
            connection = self._connection = self._connection or self._connect()
            try:
                connection.request(method, target, content, sent)
                answer = connection.getresponse()
                data = answer.read()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # A kept connection may have been closed meanwhile; a new one has not.
                self.close()
                if attempt:
                    raise
                continue
            except BaseException:
                # Half an exchange must not be the next one's.
                self.close()
                raise
            self._connection = None if answer.will_close else connection
            warnings = tuple(answer.headers.get_all("Warning") or ())
            return Reply(answer.status, {k.lower(): v for k, v in answer.headers.items()}, data, warnings)
        raise AssertionError("unreachable")

    def get(self, path: str, **options: Any) -> Reply:
        return self.request("GET", path, **options)

    def create(self, path: str, body: Any, **options: Any) -> Reply:
        return self.request("POST", path, body, **options)

    def put(self, path: str, body: Any, **options: Any) -> Reply:
        return self.request("PUT", path, body, **options)

    def patch(self, path: str, body: Any, content_type: str = MERGE, **options: Any) -> Reply:
        return self.request("PATCH", path, body, content_type=content_type, **options)

    def apply(self, path: str, body: Any, manager: str, *, force: bool = False, **query: Any) -> Reply:
        wanted = {"fieldManager": manager, "force": "true" if force else "false", **query}
        return self.request("PATCH", path, body, content_type=APPLY, query=wanted)

    def delete(self, path: str, body: Any = None, **options: Any) -> Reply:
        return self.request("DELETE", path, body, **options)

    def again(self) -> "Api":
        """The same view through a connection of its own, for another thread."""
        other = copy(self)
        other._connection = None
        return other

    def anonymous(self) -> "Api":
        """The same server, to somebody who brings neither token nor certificate."""
        return Api(self.name, self.url, ca_file=self._ca_file, headers={})

    @contextmanager
    def watch(
        self,
        path: str,
        query: Mapping[str, Any] | None = None,
        *,
        accept: str = JSON,
        headers: Mapping[str, str] | None = None,
        receive_buffer: int = 0,
    ) -> Iterator["Watch"]:
        """A watch in a connection of its own; at most 30 s long unless *query* says otherwise."""
        connection = self._connect() if not receive_buffer else self._connect_with_buffer(receive_buffer)
        wanted = {"watch": "true", "timeoutSeconds": 30, **(query or {})}
        sent = {**self._headers, "Accept": accept, **(headers or {})}
        connection.request("GET", with_query(path, wanted), headers=sent)
        answer = connection.getresponse()
        try:
            yield Watch(answer)
        finally:
            connection.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(urlsplit(self.url).netloc, timeout=_TIMEOUT_SECONDS, context=self._context)

    def _connect_with_buffer(self, size: int) -> http.client.HTTPSConnection:
        """A connection whose receiver takes no more than about *size* bytes that nobody has read."""
        connection = self._connect()
        plain = socket.socket()
        # Only before the connection is made does the kernel keep to it.
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        plain.settimeout(_TIMEOUT_SECONDS)
        plain.connect((connection.host, connection.port))
        connection.sock = self._context.wrap_socket(plain, server_hostname=connection.host)
        return connection


class Watch:
    def __init__(self, answer: http.client.HTTPResponse) -> None:
        self._answer = answer
        self.status = answer.status
        self.headers = {name.lower(): value for name, value in answer.headers.items()}

    def next(self) -> Any:
        """The next event; None at the end of the stream."""
        line = self._answer.readline()
        return json.loads(line) if line else None

    def read(self, size: int) -> bytes:
        return self._answer.read(size)

    def read_all(self) -> bytes:
        return self._answer.read()

    def complete_events(self) -> list[Any]:
        """Everything up to the end of the stream, which may come in the middle of an event."""
        events = []
        try:
            while line := self._answer.readline():
                events.append(json.loads(line))
        except (http.client.IncompleteRead, ValueError, OSError):
            return events
        return events

    def take(self, count: int) -> list[Any]:
        return [self.next() for _ in range(count)]

    def rest(self) -> list[Any]:
        """Everything up to the end of the stream."""
        return list(iter(self.next, None))


def with_query(path: str, query: Mapping[str, Any] | None) -> str:
    if not query:
        return path
    return path + "?" + "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
