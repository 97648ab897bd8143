"""Lists and watches one resource in one scope for ever, as a state machine of two states: no version, or one.

Without a version it must list; with one it watches from there. Every failure
ends in one of three ways: the version stays and the watch is resumed, the
version is given up and the next list may come from the server's cache at or
after the last one seen, or the next list must be consistent.
"""

from collections.abc import Callable
from enum import StrEnum
from functools import partial

import msgspec
import structlog

from apis.meta import Key, KubeObject
from framework.client import Cancellation, Client, Kind, Timeouts
from framework.client.codec import ObjectList
from framework.clock import Clock
from framework.errors import (
    ApiError,
    BadRequest,
    Cancelled,
    Expired,
    Forbidden,
    Invalid,
    NotFound,
    TooLargeResourceVersion,
    TransportError,
    WindlassError,
)
from framework.informers.backoff import LONGEST_SECONDS, Backoff
from framework.informers.stream import Sink, WatchStream
from framework.randomness import Random
from framework.runtime import Runtime
from framework.store import Entry

PAGE_SIZE = 500
SHORTEST_WATCH_SECONDS, LONGEST_WATCH_SECONDS = 300, 600
# Bookmarks come about every minute and the server keeps 75 s of history.
SILENCE_SECONDS = 70.0
SHORT_WATCH_SECONDS = 1.0
# What an administrator mends (rights, a missing CRD) is looked for more often than what the server must mend.
LONGEST_ABSENCE_SECONDS = 4.0
_WATCH_TIMEOUTS = Timeouts(idle_seconds=SILENCE_SECONDS, total_seconds=None)

_log = structlog.get_logger("windlass.reflector")


class ReflectorState(StrEnum):
    NEW = "New"
    LISTING = "Listing"
    WATCHING = "Watching"
    WAITING = "Waiting"
    STOPPED = "Stopped"


class Scope(msgspec.Struct, frozen=True):
    """What is asked for: a namespace (empty: all), selectors, metadata only."""

    namespace: str = ""
    labels: str = ""
    fields: str = ""
    metadata_only: bool = False

    @property
    def query(self) -> dict[str, str]:
        given = {"labelSelector": self.labels, "fieldSelector": self.fields}
        return {name: value for name, value in given.items() if value}


class Reflector:
    def __init__(
        self,
        kind: Kind[KubeObject],
        scope: Scope,
        sink: Sink,
        *,
        client: Client,
        read: Callable[[bytes | msgspec.Raw], Entry],
        clock: Clock,
        runtime: Runtime,
        random: Random,
        on_failure: Callable[[str], None],
        known_version: int | None = None,
        use_watch_list: bool = True,
    ) -> None:
        self._kind = kind
        self._scope = scope
        self._sink = sink
        self._client = client
        self._read = read
        self._clock = clock
        self._random = random
        self._on_failure = on_failure
        self._backoff = Backoff(clock, random)
        self._stop = runtime.event()
        self._cancellation = Cancellation(runtime)
        self._use_watch_list = use_watch_list
        # None: the next step must list.
        self._version: int | None = None
        # The version the next list must have reached: "" means the newest there is.
        self._list_version = "0" if known_version is None else str(known_version)
        self._short_watches = 0
        self.state = ReflectorState.NEW
        self.last_error: WindlassError | None = None

    def run(self) -> None:
        """Until `stop`; never raises."""
        while not self._stop.is_set():
            try:
                self._step()
            except Cancelled:
                break
            except WindlassError as error:
                self._fail(error)
        self.state = ReflectorState.STOPPED

    def stop(self) -> None:
        self._stop.set()
        self._cancellation.request()

    def _step(self) -> None:
        if self._version is not None:
            self._watch(self._version)
        elif self._use_watch_list:
            self._watch_list()
        else:
            self._list()

    def _watch_list(self) -> None:
        self.state = ReflectorState.LISTING
        query = {
            "sendInitialEvents": "true",
            "resourceVersionMatch": "NotOlderThan",
            # "0" would allow an initial state older than what an earlier process acted upon.
            "resourceVersion": "" if self._list_version == "0" else self._list_version,
        }
        try:
            self._stream(WatchStream(self._sink, self._read, version=None, on_unknown=self._on_unknown), query)
        except (Invalid, BadRequest) as error:
            # Older servers, and resources without a watch cache, refuse sendInitialEvents.
            _log.info("watch_list_not_supported", resource=self._name, error=str(error))
            self._use_watch_list = False
        if self._use_watch_list and self._version is None:
            raise TransportError("the server ended the watch before the initial state was complete")

    def _list(self) -> None:
        self.state = ReflectorState.LISTING
        entries: dict[Key, Entry] = {}
        query = self._scope.query
        # The watch cache answers a given version at once and ignores limits; for the others pages bound memory.
        if self._list_version in ("", "0"):
            query["limit"] = str(PAGE_SIZE)
        if self._list_version:
            query |= {"resourceVersion": self._list_version, "resourceVersionMatch": "NotOlderThan"}
        page = self._page(query)
        self._collect(page, entries)
        while page.metadata.continue_:
            page = self._next_page(page, entries)
        self._listed(entries, int(page.metadata.resource_version or 0))

    def _next_page(self, page: ObjectList, entries: dict[Key, Entry]) -> ObjectList:
        query = {**self._scope.query, "limit": str(PAGE_SIZE), "continue": page.metadata.continue_}
        try:
            page = self._page(query)
        except Expired:
            # The snapshot is gone. The token the server offers instead would mix
            # two states, and pages so slow may expire again: ask for all at once.
            entries.clear()
            page = self._page(self._scope.query)
        self._collect(page, entries)
        return page

    def _page(self, query: dict[str, str]) -> ObjectList:
        if self._stop.is_set():
            raise Cancelled("stopped")
        return self._client.list_page(self._kind, self._scope.namespace, query, metadata_only=self._scope.metadata_only)

    def _collect(self, page: ObjectList, entries: dict[Key, Entry]) -> None:
        try:
            for raw in page.items or ():
                entry = self._read(raw)
                entries[entry.key] = entry
        except (msgspec.DecodeError, ValueError) as error:
            raise TransportError(f"unreadable list item: {error}") from error

    def _listed(self, entries: dict[Key, Entry], version: int) -> None:
        self._sink.replace(entries, version)
        self._advance(version)

    def _watch(self, version: int) -> None:
        stream = WatchStream(self._sink, self._read, version=version, on_unknown=self._on_unknown)
        started = self._clock.monotonic()
        self._stream(stream, {"resourceVersion": str(version)})
        if stream.events or self._clock.monotonic() - started >= SHORT_WATCH_SECONDS:
            self._short_watches = 0
            return
        self._short_watches += 1
        if self._short_watches > 1:
            # Kinds without a watch cache (Events) close a watch from a version that is gone instead of saying 410.
            self._version = None
        raise TransportError("the server ended the watch at once, without an event")

    def _stream(self, stream: WatchStream, query: dict[str, str]) -> None:
        timeout = int(self._random.uniform(SHORTEST_WATCH_SECONDS, LONGEST_WATCH_SECONDS))
        whole_query = {**self._scope.query, **query, "allowWatchBookmarks": "true", "timeoutSeconds": str(timeout)}
        on_chunk = partial(self._on_chunk, stream)
        try:
            self._client.watch(
                self._kind,
                self._scope.namespace,
                whole_query,
                on_chunk=on_chunk,
                cancellation=self._cancellation,
                timeouts=_WATCH_TIMEOUTS,
                metadata_only=self._scope.metadata_only,
            )
        finally:
            if stream.version is not None:
                self._advance(stream.version)

    def _on_chunk(self, stream: WatchStream, chunk: bytes) -> None:
        stream.on_chunk(chunk)
        # The empty chunk at the head of an answer counts: a quiet watch is live as well.
        if stream.version is not None and self.state is not ReflectorState.WATCHING:
            self._is_watching()

    def _is_watching(self) -> None:
        self.state = ReflectorState.WATCHING
        if self.last_error is not None:
            _log.info("reflector_recovered", resource=self._name, namespace=self._scope.namespace)
        self.last_error = None

    def _advance(self, version: int) -> None:
        self._version = version
        self._list_version = str(version)
        if self.state is ReflectorState.LISTING:
            self._is_watching()

    def _fail(self, error: WindlassError) -> None:
        self._forget_version_after(error)
        self._report(error)
        self.last_error = error
        self.state = ReflectorState.WAITING
        self._stop.wait(self._pause_after(error))

    def _forget_version_after(self, error: WindlassError) -> None:
        if isinstance(error, Expired | TooLargeResourceVersion):
            # The server cannot serve this version, or not yet; only its newest state is certain to be there.
            self._version, self._list_version = None, ""
        elif isinstance(error, NotFound):
            # The resource is gone; when it comes back its objects are others.
            self._version = None

    def _pause_after(self, error: WindlassError) -> float:
        is_absence = isinstance(error, Forbidden | NotFound)
        pause = self._backoff.next_wait(LONGEST_ABSENCE_SECONDS if is_absence else LONGEST_SECONDS)
        asked = error.retry_after_seconds if isinstance(error, ApiError) else None
        return max(pause, asked or 0.0)

    def _report(self, error: WindlassError) -> None:
        reason = error.reason if isinstance(error, ApiError) and error.reason else type(error).__name__
        self._on_failure(reason)
        # The same failure again and again is one line, not one a minute.
        if str(error) != str(self.last_error):
            _log.warning(
                "reflector_failed",
                resource=self._name,
                namespace=self._scope.namespace,
                reason=reason,
                error=str(error),
            )

    def _on_unknown(self, event_type: str) -> None:
        self._on_failure("UnknownEventType")
        _log.warning("unknown_watch_event", resource=self._name, type=event_type)

    @property
    def _name(self) -> str:
        return str(self._kind if not isinstance(self._kind, type) else self._kind.__name__)
