"""One watch stream: from its bytes to changes of the cache."""

from collections.abc import Callable
from typing import Protocol, cast

import msgspec

from apis.meta import Key
from framework.client.codec import decode_status
from framework.errors import ApiError, TransportError, api_error
from framework.informers.events import EventSplitter, WatchEvent, decode_bookmark
from framework.store import Entry, EventType

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
        # The server has begun to answer.
        self.is_open = False

    def on_chunk(self, chunk: bytes) -> None:
        self.is_open = True
        try:
            for event in self._splitter.feed(chunk):
                self._on_event(event)
        except ValueError as error:
            raise TransportError(f"unreadable watch event: {error}") from error
        finally:
            # What was read before a bad event counts: the next watch resumes after it.
            self._flush()

    def _on_event(self, event: WatchEvent) -> None:
        if event.type in _CHANGES:
            self._on_change(cast("EventType", event.type), self._read(event.object))
        elif event.type == "BOOKMARK":
            self._flush()
            self._on_bookmark(event.object)
        elif event.type == "ERROR":
            raise _error_of(event.object)
        else:
            self._on_unknown(event.type)

    def _on_change(self, event_type: EventType, entry: Entry) -> None:
        if self._initial is None:
            self._batch.append((event_type, entry))
            return
        known = self._initial.get(entry.key)
        if known is not None and entry.version < known.version:
            return
        if event_type == "DELETED":
            self._initial.pop(entry.key, None)
        else:
            self._initial[entry.key] = entry

    def _on_bookmark(self, raw: msgspec.Raw) -> None:
        bookmark = decode_bookmark(raw)
        if self._initial is None:
            self.version = max(self.version or 0, bookmark.version)
            self._sink.progress(self.version)
        elif bookmark.ends_initial_events:
            self._sink.replace(self._initial, bookmark.version)
            self._initial = None
            self.version = bookmark.version

    def _flush(self) -> None:
        if not self._batch:
            return
        batch, self._batch = self._batch, []
        # Not simply that of the last event: a faulty server may send an older one after a newer one.
        version = max(self.version or 0, *(entry.version for _, entry in batch))
        self._sink.apply(batch, version)
        self.version = version


def _error_of(raw: msgspec.Raw) -> ApiError:
    status = decode_status(0, bytes(raw))
    seconds = status.details.retry_after_seconds if status.details else 0
    return api_error(status, retry_after_seconds=seconds or None)
