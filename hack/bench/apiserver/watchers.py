"""Clients that follow one kind, each over a connection of its own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from hack.bench.apiserver import objects
from hack.bench.apiserver.servers import Server
from hack.bench.apiserver.wire import HttpWire

_LIMIT_SECONDS = 120.0
_clock = SystemClock()


class Watcher:
    """Counts events until it has seen *wanted* ones; one out of order ends it."""

    def __init__(self, wire: HttpWire, revision: str, wanted: int) -> None:
        self._wire = wire
        self._answer = wire.stream(f"{objects.COLLECTION}?watch=1&resourceVersion={revision}")
        self._last = int(revision)
        self._wanted = wanted
        self.told = 0

    def run(self) -> None:
        try:
            while self.told < self._wanted and (line := self._answer.readline()):
                revision = int(msgspec.json.decode(line)["object"]["metadata"]["resourceVersion"])
                if revision <= self._last:
                    return
                self._last = revision
                self.told += 1
        except OSError:
            # Dropped by the server: what it was told is what counts.
            return

    def close(self) -> None:
        self._answer.close()
        self._wire.close()


class Following:
    def __init__(self, server: Server, number: int, events: int) -> None:
        wire = server.wire()
        listed = msgspec.json.decode(wire.send("GET", objects.COLLECTION))
        wire.close()
        revision = listed["metadata"]["resourceVersion"]
        runtime = ThreadRuntime()
        self.watchers = [Watcher(server.wire(), revision, events) for _ in range(number)]
        self._tasks = [runtime.spawn("watcher", watcher.run) for watcher in self.watchers]

    def wait(self) -> Sequence[int]:
        """How many events each was told, when all have them or time is up."""
        limit = _clock.monotonic() + _LIMIT_SECONDS
        for task in self._tasks:
            task.join(max(0.0, limit - _clock.monotonic()))
        return [watcher.told for watcher in self.watchers]


@contextmanager
def follow(server: Server, number: int, events: int) -> Iterator[Following]:
    following = Following(server, number, events)
    try:
        yield following
    finally:
        for watcher in following.watchers:
            watcher.close()
