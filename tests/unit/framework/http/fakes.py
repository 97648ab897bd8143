"""A handler that answers by target, a watch that the test feeds, and a clock that runs fast."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from framework.apiserver.objects import GroupResource
from framework.apiserver.status import not_found, status_document
from framework.http.exchange import Answer, ServerRequest
from framework.runtime import ThreadRuntime

JSON = {"Content-Type": "application/json"}
Reply = Answer | Callable[[ServerRequest], Answer]
RUNTIME = ThreadRuntime()


class FakeHandler:
    """Answers by path; paths that begin with /block may block."""

    def __init__(self, replies: Mapping[str, Reply] | None = None) -> None:
        self.replies: dict[str, Reply] = {"/": Answer(200, JSON, b"{}"), **(replies or {})}
        self.requests: list[ServerRequest] = []

    def may_block(self, request: ServerRequest) -> bool:
        return request.target.startswith("/block")

    def handle(self, request: ServerRequest) -> Answer:
        self.requests.append(request)
        reply = self.replies.get(request.target.partition("?")[0])
        if reply is None:
            error = not_found(GroupResource("", "pods"), "a")
            return Answer(404, JSON, msgspec.json.encode(status_document(error)))
        return reply if isinstance(reply, Answer) else reply(request)


class FakeStream:
    """Gives what the test puts in; `closed` is set when the front end has left."""

    def __init__(self, *events: bytes) -> None:
        self._lock = RUNTIME.lock()
        self._events = list(events)
        self._has_ended = False
        self._wake: Callable[[], None] = lambda: None
        self.wake_at: float | None = None
        self.closed = RUNTIME.event()
        self.watched = RUNTIME.event()

    def put(self, event: bytes) -> None:
        with self._lock:
            self._events.append(event)
        self._wake()

    def end(self) -> None:
        self._has_ended = True
        self._wake()

    def read(self) -> bytes | None:
        with self._lock:
            data, self._events = b"".join(self._events), []
        return None if self._has_ended and not data else data

    def on_ready(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self.watched.set()
        wake()

    def close(self) -> None:
        self.closed.set()


def watch(stream: FakeStream) -> Answer:
    return Answer(200, JSON, stream=stream)


class FastClock:
    """Lets 100 seconds pass at every look at it."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def monotonic(self) -> float:
        self._now += 100.0
        return self._now

    def wait(self, seconds: float) -> None:
        self._now += seconds
