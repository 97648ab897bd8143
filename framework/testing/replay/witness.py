"""Sees every change of some kinds of object on a real server, over a connection that nothing happens to."""

import threading  # noqa: TID251 - the witness is outside the seams: nothing about it is simulated
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Self

import msgspec

from apis.meta import GroupVersionKind, Key, ResourceType
from framework.apiserver.objects import GroupResource
from framework.apiserver.storage.journal import JournalWrite, StoredRow
from framework.client import Cancellation, Client, Timeouts
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.runtime import ThreadRuntime
from framework.testing.simulation.store import RecordingJournal, Snapshot

# A stream ends by itself before that.
_TIMEOUTS = Timeouts(idle_seconds=3600.0, total_seconds=None)
_END_SECONDS = 5.0
_PAUSE_SECONDS = 0.05


class LostTrack(WindlassError):
    """There were changes that the witness has not seen: what it says of a run would be wrong."""


class _Meta(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Meta


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


def kinds_of(client: Client, resources: Sequence[GroupResource]) -> list[ResourceType]:
    """With the version that the server prefers."""
    found = []
    for group, plural in resources:
        version = "v1"
        if group:
            version = msgspec.json.decode(client.raw_get(f"/apis/{group}"))["preferredVersion"]["version"]
        found.append(ResourceType(GroupVersionKind(group, version, ""), plural))
    return found


def rows_of(client: Client, kinds: Sequence[ResourceType]) -> tuple[StoredRow, ...]:
    """Everything that is there now."""
    return tuple(_row(kind, bytes(raw)) for kind in kinds for raw in _listed(client, kind)[1])


class Witness:
    """From its beginning to its end; `journal` is what the simulated server would have written down."""

    def __init__(self, client: Client, kinds: Sequence[ResourceType]) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._lost: LostTrack | None = None
        self._cancellation = Cancellation(ThreadRuntime())
        lists = {kind: _listed(client, kind) for kind in kinds}
        rows = tuple(_row(kind, bytes(raw)) for kind, (_, items) in lists.items() for raw in items)
        revision = max((int(version) for version, _ in lists.values()), default=1)
        self.journal = RecordingJournal(Snapshot(revision, rows))
        self._threads = [
            threading.Thread(target=partial(self._follow, kind, version), name=f"witness-{kind}", daemon=True)
            for kind, (version, _) in lists.items()
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cancellation.request()
        for thread in self._threads:
            thread.join(_END_SECONDS)

    def check(self) -> None:
        """LostTrack unless it has seen everything."""
        if self._lost is not None:
            raise self._lost

    def is_overtaken(self, plural: str, key: Key, version: int) -> bool:
        with self._lock:
            commits = list(self.journal.commits)
        return any(each.key == key and each.resource.resource == plural and each.revision > version for each in commits)

    def _follow(self, kind: ResourceType, version: str) -> None:
        stream = _Stream(self, kind, version)
        while not self._cancellation.is_requested:
            try:
                self._watch(kind, stream)
            except LostTrack as error:
                self._lost = error
                return
            except WindlassError:
                SystemClock().wait(_PAUSE_SECONDS)

    def _watch(self, kind: ResourceType, stream: "_Stream") -> None:
        self._client.watch(
            kind,
            "",
            {"resourceVersion": stream.version, "allowWatchBookmarks": "true"},
            on_chunk=stream.take,
            cancellation=self._cancellation,
            timeouts=_TIMEOUTS,
        )

    def note(self, write: JournalWrite) -> None:
        with self._lock:
            self.journal.commit([write])


class _Stream:
    """One watch after the other, without a gap."""

    def __init__(self, witness: Witness, kind: ResourceType, version: str) -> None:
        self._witness = witness
        self._kind = kind
        self.version = version
        self._rest = b""

    def take(self, chunk: bytes) -> None:
        if not chunk:
            self._rest = b""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._note(msgspec.json.decode(line, type=_Event))

    def _note(self, event: _Event) -> None:
        if event.type == "ERROR":
            raise LostTrack(f"the witness of {self._kind} has lost track: {bytes(event.object).decode()}")
        row = _row(self._kind, bytes(event.object))
        self.version = str(row.revision)
        if event.type != "BOOKMARK":
            raw = None if event.type == "DELETED" else row.raw
            self._witness.note(JournalWrite(row.revision, row.resource, row.key, raw))


def _listed(client: Client, kind: ResourceType) -> tuple[str, Sequence[msgspec.Raw]]:
    page = client.list_page(kind, "", {})
    return page.metadata.resource_version, page.items or ()


def _row(kind: ResourceType, raw: bytes) -> StoredRow:
    metadata = msgspec.json.decode(raw, type=_Object).metadata
    key = Key(metadata.namespace, metadata.name)
    return StoredRow(GroupResource(kind.gvk.group, kind.plural), key, int(metadata.resource_version), raw)
