"""Follows one kind over all ends of the server, and fails on an event that is missing, repeated or out of order."""

from http.client import HTTPException
from typing import Any

import msgspec

from framework.clock import SystemClock
from framework.runtime import Runtime, Task
from tests.component.durability.durable_server import DurableServer, Wire
from tests.component.durability.ledger import Kind, Ledger, State, state_of

_GONE = 410
_LIMIT_SECONDS = 30.0
_clock = SystemClock()


class Watcher:
    def __init__(self, kind: Kind, ledger: Ledger, runtime: Runtime) -> None:
        self._kind = kind
        self._ledger = ledger
        self._runtime = runtime
        self._changed = runtime.condition()
        self._task: Task | None = None
        # What is there, as far as this watcher was told; it is complete up to `revision`.
        self.seen: dict[str, State] = {}
        self.revision = 0
        # The server has made no write that this watcher does not know: it cannot say that it has forgotten one.
        self.must_resume = False
        # What was told since the last list, which had the revision _since.
        self._told: set[int] = set()
        self._since = 0
        self.problem: BaseException | None = None

    def start(self, server: DurableServer) -> None:
        self._task = self._runtime.spawn("watcher", lambda: self._run(server))

    def join(self) -> None:
        if self._task is not None:
            self._task.join()
        if self.problem is not None:
            raise self.problem
        self.must_resume = False
        missed = self._ledger.revisions(self._kind, self._since, self.revision) - self._told
        assert not missed, f"{sorted(missed)} were written and never told"

    def wait_for(self, revision: int) -> None:
        """Return when everything up to *revision* was told."""
        limit = _clock.monotonic() + _LIMIT_SECONDS
        with self._changed:
            while self.revision < revision:
                assert self.problem is None
                assert _clock.monotonic() < limit, f"told up to {self.revision}, not {revision}"
                self._changed.wait(_LIMIT_SECONDS)

    def _run(self, server: DurableServer) -> None:
        wire = server.wire()
        try:
            if self.revision == 0 or not self._follow(wire):
                wire.close()
                self._list(wire)
                assert self._follow(wire), "the revision of a list cannot be watched from"
        except (OSError, HTTPException):
            return
        except BaseException as problem:  # noqa: BLE001 - raised where the test can see it
            self.problem = problem
        finally:
            wire.close()

    def _list(self, wire: Wire) -> None:
        content = wire.send("GET", self._kind.path).content
        self.seen = {item["metadata"]["name"]: state_of(self._kind, item) for item in content["items"]}
        assert not self.must_resume, f"could not go on from {self.revision}"
        self._told = set()
        self._since = int(content["metadata"]["resourceVersion"])
        self._reach(self._since)

    def _follow(self, wire: Wire) -> bool:
        """Whether the server knew the revision; returns, or raises, when it goes away."""
        answer = wire.stream(f"{self._kind.path}?watch=1&resourceVersion={self.revision}")
        if answer.status == _GONE:
            return False
        while line := answer.readline():
            if not line.endswith(b"\n"):
                # Cut off by the end of the server: the rest of it never comes, and the event is not seen.
                break
            event = msgspec.json.decode(line)
            if event["type"] == "ERROR":
                assert event["object"]["code"] == _GONE, event
                return False
            self._take(event["type"], event["object"])
        return True

    def _take(self, event_type: str, obj: dict[str, Any]) -> None:
        name, revision = obj["metadata"]["name"], int(obj["metadata"]["resourceVersion"])
        assert revision > self.revision, f"{revision} after {self.revision}"
        assert (name in self.seen) == (event_type != "ADDED"), (
            f"{event_type} of {name}, which was {self.seen.get(name)}"
        )
        self._ledger.note_event(self._kind, name, revision)
        if event_type == "DELETED":
            del self.seen[name]
        else:
            self.seen[name] = state_of(self._kind, obj)
        self._told.add(revision)
        self._reach(revision)

    def _reach(self, revision: int) -> None:
        with self._changed:
            self.revision = revision
            self._changed.notify_all()
