"""Requests as the tests of director and worker make them, and the server they believe to talk to."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from apis.meta import Key, KubeObject, MicroTimeText, ObjectMeta
from apis.requeststate.v1 import HistoryEntry, RequestState, RequestStateSpec, RequestStateStatus, State
from framework.errors import AlreadyExists, Conflict, Invalid, NotFound, Status, TransportError
from framework.store import Change, decode_envelope

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = Key("default", "request")
OLD = MicroTimeText("2025-01-01T00:00:00.000000Z")


def a_request(
    job: str = "JOB1",
    state: State = State.REQUESTED,
    history: Sequence[HistoryEntry] = (),
    annotations: Mapping[str, str] | None = None,
    **status: Any,
) -> RequestState:
    return RequestState(
        metadata=ObjectMeta(
            name=KEY.name,
            namespace=KEY.namespace,
            uid="uid-1",
            resource_version="1",
            annotations=dict(annotations or {}),
        ),
        spec=RequestStateSpec(request_uid="request", job=job, state=state),
        status=RequestStateStatus(history=list(history), **status),
    )


def an_entry(job: str = "JOB1", state: State = State.STARTED, timestamp: str = OLD, message: str = "") -> HistoryEntry:
    return msgspec.convert({"job": job, "state": state, "timestamp": timestamp, "message": message}, HistoryEntry)


def a_change(old: RequestState | None, new: RequestState | None) -> Change[RequestState]:
    """As an informer tells it."""
    entries = [None if each is None else decode_envelope(msgspec.json.encode(each)) for each in (old, new)]
    return Change(lambda entry: msgspec.json.decode(bytes(entry.raw), type=RequestState), *entries)


class FakeServer:
    """One namespace of an API server: lister and client in one, always up to date, every write conditional.

    `fail_after` and `fail_before` make the nth write (from one) lose its
    answer, or never arrive; `on_write` is told of each that was applied.
    """

    def __init__(self, *present: RequestState) -> None:
        self.objects = {each.metadata.key: msgspec.to_builtins(each) for each in present}
        self.writes: list[str] = []
        self.fail_after: set[int] = set()
        self.fail_before: set[int] = set()
        self.on_write: Callable[[], None] = lambda: None
        self._version = 1

    def get(self, *arguments: Any) -> Any:
        """As a lister with a key, as a client with a kind and a key."""
        found = self.objects.get(arguments[-1])
        if found is None and len(arguments) == 1:
            return None
        if found is None:
            raise NotFound(Status(404, "NotFound"))
        return msgspec.convert(found, RequestState)

    @property
    def request(self) -> RequestState:
        current: RequestState = self.get(KEY)
        return current

    def create(self, obj: KubeObject) -> KubeObject:
        self._begin_write(f"create {obj.metadata.name}")
        if obj.metadata.key in self.objects:
            raise AlreadyExists(Status(409, "AlreadyExists"))
        self.objects[obj.metadata.key] = msgspec.to_builtins(obj)
        self._end_write(obj.metadata.key)
        return obj

    def patch_spec(self, obj: RequestState, spec: Mapping[str, Any]) -> RequestState:
        self._begin_write(" ".join(["spec", *spec.values()]))
        current = self._current(obj)
        _check_transition(current["spec"], {**current["spec"], **spec})
        current["spec"].update(spec)
        return self._end_write(obj.metadata.key)

    def patch_status(self, obj: RequestState, status: Mapping[str, Any]) -> RequestState:
        self._begin_write("status " + ",".join(sorted(set(status) - {"observedGeneration"})))
        current = self._current(obj)
        merged = {**current.get("status", {}), **status}
        current["status"] = {name: value for name, value in merged.items() if value is not None}
        return self._end_write(obj.metadata.key)

    def json_patch(
        self, _kind: type, key: Key, operations: Sequence[Mapping[str, Any]], *, subresource: str
    ) -> RequestState:
        assert subresource == "status"
        self._begin_write("renew")
        if key not in self.objects:
            raise NotFound(Status(404, "NotFound"))
        for operation in operations:
            self._apply(self.objects[key], operation)
        return self._end_write(key)

    def edit_status(self, **status: Any) -> None:
        """By hand, from outside."""
        current = self.objects[KEY].setdefault("status", {})
        current.update(status)
        self.objects[KEY]["status"] = {name: value for name, value in current.items() if value is not None}
        self._bump(KEY)

    def _apply(self, current: dict[str, Any], operation: Mapping[str, Any]) -> None:
        *path, last = operation["path"].strip("/").split("/")
        for part in path:
            current = current.get(part, {})
        if last not in current or (operation["op"] == "test" and current[last] != operation["value"]):
            raise Invalid(Status(422, "Invalid"))
        current[last] = operation["value"]

    def _current(self, obj: RequestState) -> dict[str, Any]:
        current: dict[str, Any] | None = self.objects.get(obj.metadata.key)
        if current is None:
            raise NotFound(Status(404, "NotFound"))
        if current["metadata"]["resourceVersion"] != obj.metadata.resource_version:
            raise Conflict(Status(409, "Conflict"))
        return current

    def _begin_write(self, what: str) -> None:
        self.writes.append(what)
        if len(self.writes) in self.fail_before:
            raise TransportError("nothing was sent")

    def _end_write(self, key: Key) -> RequestState:
        self._bump(key)
        self.on_write()
        if len(self.writes) in self.fail_after:
            raise TransportError("the answer was lost")
        written: RequestState = self.get(key)
        return written

    def _bump(self, key: Key) -> None:
        self._version += 1
        self.objects[key]["metadata"]["resourceVersion"] = str(self._version)


def _check_transition(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """The rules of the CRD."""
    allowed = {("REQUESTED", "STARTED"), ("STARTED", "COMPLETED"), ("STARTED", "FAILED")}
    same_job = old["job"] == new["job"]
    is_legal = (old["state"], new["state"]) in allowed if same_job else old["state"] == "COMPLETED"
    if not is_legal and old != new:
        raise Invalid(Status(422, "Invalid"))


class FakeRecorder:
    def __init__(self) -> None:
        self.reasons: list[str] = []

    def record(self, _about: KubeObject, _type: str, reason: str, _note: str, *, action: str) -> None:
        assert action
        self.reasons.append(reason)
