"""The user of a replay: writes over a connection of its own, and remembers what it wrote."""

import threading  # noqa: TID251 - acts of the user come from the threads of relays
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from framework.client import (
    Call,
    Cancellation,
    Client,
    ClusterAddress,
    Connection,
    HttpRequest,
    HttpResponse,
    StaticCredentials,
    Transport,
)
from framework.client.curl import CurlTransport
from framework.clock import SystemClock
from framework.errors import NotFound, WindlassError
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.simulation.manifest import as_the_user_wrote_it
from framework.testing.simulation.trace import name_of

_FIRST_NOT_OK = 300
_POLL_SECONDS = 0.05
MERGE_PATCH = "application/merge-patch+json"


class RealUser:
    def __init__(self, plane: ControlPlane) -> None:
        clock, runtime = SystemClock(), ThreadRuntime()
        self._clock = clock
        self._written = _Written()
        address = ClusterAddress(plane.url, ca=plane.ca_file.read_bytes())
        connection = Connection(
            StaticCredentials(address, plane.token),
            make_transport=lambda to: _NotingTransport(CurlTransport(to, clock=clock, runtime=runtime), self._written),
            clock=clock,
            runtime=runtime,
            random=system_random(),
            user_agent="user",
        )
        self.client = Client(connection)

    def tell_writes(self, tell: Callable[[str], None]) -> None:
        """Call *tell* with the name of every write from now on, once it is done."""
        self._written.tell = tell

    def delete(self, path: str) -> dict[str, Any] | None:
        """What can be created in its place; None if it was gone already, or going."""
        obj = self.get(path)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return None
        wanted = self._written.last(path)
        self.ask("DELETE", path)
        return None if wanted is None else as_the_user_wrote_it(wanted)

    def create_when_gone(self, path: str, manifest: Mapping[str, Any], *, meanwhile: Callable[[], None]) -> None:
        while self.get(path) is not None:
            self._clock.wait(_POLL_SECONDS)
            meanwhile()
        self.ask("POST", path.rpartition("/")[0], manifest)

    def get(self, path: str) -> dict[str, Any] | None:
        try:
            obj: dict[str, Any] = msgspec.json.decode(self.client.raw_get(path))
        except NotFound:
            return None
        return obj

    def ask(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> None:
        """What is refused is no concern of who asks: it looks at what is there."""
        raw = None if body is None else msgspec.json.encode(body)
        try:
            self.client.connection.send(Call("", method, path, body=raw, content_type=content_type))
        except WindlassError:
            return

    def close(self) -> None:
        self.client.connection.close()


class _Written:
    """By path: the answer to the last write of an object."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._objects: dict[str, bytes] = {}
        self.tell: Callable[[str], None] = lambda _: None

    def note(self, request: HttpRequest, answer: HttpResponse) -> None:
        if request.method != "GET":
            self.tell(name_of(request))
        if request.method not in ("POST", "PATCH", "PUT") or answer.status >= _FIRST_NOT_OK:
            return
        path = request.target.partition("?")[0]
        if request.method == "POST":
            path = f"{path}/{msgspec.json.decode(answer.body)['metadata']['name']}"
        with self._lock:
            self._objects[path] = answer.body

    def last(self, path: str) -> dict[str, Any] | None:
        with self._lock:
            raw = self._objects.get(path)
        return None if raw is None else msgspec.json.decode(raw)


class _NotingTransport:
    def __init__(self, inner: Transport, written: _Written) -> None:
        self._inner = inner
        self._written = written

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        answer = self._inner.exchange(request, on_chunk=on_chunk, cancellation=cancellation)
        self._written.note(request, answer)
        return answer

    def close(self) -> None:
        self._inner.close()
