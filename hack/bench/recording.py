"""Records what the real API server sends: a list, an initial watch, and one change of every object."""

from pathlib import Path

from apis.meta import resource_type_of
from apis.requeststate.v1 import RequestState
from framework.client import Call, Cancellation, Client, Timeouts
from framework.errors import Cancelled
from framework.runtime import ThreadRuntime
from hack.bench.contestant import Contestant, ContestantError

LIST, INITIAL, EVENTS = "list.json", "initial.jsonl", "events.jsonl"
_MODIFIED = b'{"type":"MODIFIED"'
_END_OF_INITIAL = b'"k8s.io/initial-events-end":"true"'
_LIMITS = Timeouts(idle_seconds=60.0, total_seconds=900.0)


def record(client: Client, writer: Contestant, namespace: str, events: int, folder: Path) -> None:
    """Leave three files in *folder*; *writer* is told to begin once the initial state has been sent."""
    path = resource_type_of(RequestState).path(namespace)
    (folder / LIST).write_bytes(client.connection.send(Call("list", "GET", path)).body)
    recorder = _Recorder(writer, events)
    query = {
        "sendInitialEvents": "true",
        "resourceVersionMatch": "NotOlderThan",
        "resourceVersion": "",
        "allowWatchBookmarks": "true",
    }
    cancellation = Cancellation(ThreadRuntime())
    try:
        client.watch(
            RequestState, namespace, query, on_chunk=recorder.on_chunk, cancellation=cancellation, timeouts=_LIMITS
        )
    except Cancelled:
        (folder / INITIAL).write_bytes(b"".join(recorder.initial))
        (folder / EVENTS).write_bytes(b"".join(recorder.events))
    else:
        raise ContestantError(f"the API server ended the watch after {len(recorder.events)} of {events} events")


class _Recorder:
    def __init__(self, writer: Contestant, wanted: int) -> None:
        self._writer = writer
        self._wanted = wanted
        self._rest = b""
        self._is_initial = True
        self.initial: list[bytes] = []
        self.events: list[bytes] = []

    def on_chunk(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._take(line + b"\n")
        if len(self.events) >= self._wanted:
            raise Cancelled("all is recorded")

    def _take(self, line: bytes) -> None:
        if not self._is_initial:
            if line.startswith(_MODIFIED):
                self.events.append(line)
            return
        self.initial.append(line)
        if _END_OF_INITIAL in line:
            self._is_initial = False
            self._writer.say("go")
