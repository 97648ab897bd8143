"""One watch stream: from its bytes to changes of the cache."""

from collections.abc import Callable
from typing import Protocol, cast

import msgspec

from apis.meta import Key
from framework.client.codec import decode_status
from framework.errors import TransportError, api_error
from framework.informers.events import EventSplitter, WatchEvent, decode_bookmark
from framework.store import Entry
from framework.store.store import EventType

_CHANGES = frozenset({"ADDED", "MODIFIED", "DELETED"})


class Sink(Protocol):
    """Takes what a reflector finds out about one scope (a namespace, or all of them)."""

    def replace(self, entries: dict[Key, Entry], version: int) -> None: ...

    def apply(self, events: list[tuple[EventType, Entry]], version: int) -> None: ...

    def progress(self, version: int) -> None:
        """Nothing changed up to *version*."""


class WatchStream:
    """Reads one watch.

    A stream that begins with the initial state collects it and hands it over
    as one replacement when the server says it is complete. Until then `version`
    stays None: the initial events come in no order, so none of their versions
    is one to resume from.
    """

    def __init__(
        self,
        sink: Sink,
        read: Callable[[msgspec.Raw], Entry],
        *,
        version: int | None,
        on_unknown: Callable[[str], None],
    ) -> None:
        self._sink = sink
        self._read = read
        self._on_unknown = on_unknown
        self._splitter = EventSplitter()
        self._initial: dict[Key, Entry] | None = {} if version is None else None
        self._batch: list[tuple[EventType, Entry]] = []
        self.version = version
        self.events = 0

    def on_chunk(self, chunk: bytes) -> None:
        try:
            for event in self._splitter.feed(chunk):
                self._on_event(event)
        except (msgspec.DecodeError, ValueError) as error:
            raise TransportError(f"unreadable watch event: {error}") from error
        finally:
            # What was read before a bad event counts: the next watch resumes after it.
            self._flush()

    def _on_event(self, event: WatchEvent) -> None:
        self.events += 1
        if event.type in _CHANGES:
            self._on_change(cast("EventType", event.type), self._read(event.object))
        elif event.type == "BOOKMARK":
            self._flush()
            self._on_bookmark(event.object)
        elif event.type == "ERROR":
            raise api_error(decode_status(0, bytes(event.object)))
        else:
            self._on_unknown(event.type)

    def _on_change(self, event_type: EventType, entry: Entry) -> None:
        if self._initial is None:
            self._batch.append((event_type, entry))
        elif event_type == "DELETED":
            self._initial.pop(entry.key, None)
        else:
            self._initial[entry.key] = entry

    def _on_bookmark(self, raw: msgspec.Raw) -> None:
        bookmark = decode_bookmark(raw)
        version = int(bookmark.metadata.resource_version or 0)
        if self._initial is None:
            self.version = max(self.version or 0, version)
            self._sink.progress(self.version)
        elif bookmark.ends_initial_events:
            initial, self._initial = self._initial, None
            self.version = version
            self._sink.replace(initial, version)

    def _flush(self) -> None:
        if self._batch:
            batch, self._batch = self._batch, []
            self.version = max(self.version or 0, batch[-1][1].version)
            self._sink.apply(batch, self.version)
