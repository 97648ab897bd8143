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

from apis.meta import KubeObject
from framework.client import Client, Kind, Timeouts
from framework.clock import Clock
from framework.errors import (
    ApiError,
    BadRequest,
    Cancelled,
    Expired,
    Forbidden,
    Invalid,
    NotFound,
    ServerError,
    TimedOut,
    TooLargeResourceVersion,
    TooManyRequests,
    TransportError,
    Unauthorized,
    WindlassError,
)
from framework.informers.backoff import LONGEST_SECONDS, Backoff
from framework.informers.paging import PAGE_SIZE, PagedList
from framework.informers.refreshes import Refreshes
from framework.informers.scope import Scope
from framework.informers.stream import Sink, WatchStream
from framework.randomness import Random
from framework.runtime import Runtime
from framework.store import Entry

SHORTEST_WATCH_SECONDS, LONGEST_WATCH_SECONDS = 300, 600
# The server sends a bookmark about every minute, unless nothing at all happens to the resource, and keeps 75 s of
# history; the transport may notice a silence a few seconds late.
SILENCE_SECONDS = 65.0
SHORT_WATCH_SECONDS = 1.0
# What an administrator mends (rights, a missing CRD) is looked for more often than what the server must mend.
LONGEST_ABSENCE_SECONDS = 4.0
_SMALL_CHUNK_BYTES = 64 * 1024
_GATHER_SECONDS = 0.001
# So many watches in a row without anything new are one too many.
_FRUITLESS = 2
# These say nothing about the version: the same watch may work the next time.
_KEEPS_VERSION = (TransportError, ServerError, TooManyRequests, Unauthorized, Forbidden)

_log = structlog.get_logger("windlass.reflector")


class ReflectorState(StrEnum):
    NEW = "New"
    LISTING = "Listing"
    WATCHING = "Watching"
    WAITING = "Waiting"
    STOPPED = "Stopped"


class ReflectorOptions(msgspec.Struct, frozen=True):
    use_watch_list: bool = True
    silence_seconds: float = SILENCE_SECONDS
    page_size: int = PAGE_SIZE
    # The first list must be the newest state there is, also where a server could answer from a cache.
    is_consistent: bool = False


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
        on_not_found: Callable[[], None] = lambda: None,
        known_version: int | None = None,
        options: ReflectorOptions | None = None,
        name: str = "",
    ) -> None:
        options = options or ReflectorOptions()
        self._name = name or str(kind.__name__ if isinstance(kind, type) else kind)
        self._kind = kind
        self._scope = scope
        self._sink = sink
        self._client = client
        self._read = read
        self._clock = clock
        self._random = random
        self._on_failure = on_failure
        self._on_not_found = on_not_found
        self._backoff = Backoff(clock, random)
        self._stop = runtime.event()
        self._refreshes = Refreshes(runtime)
        self._timeouts = Timeouts(idle_seconds=options.silence_seconds, total_seconds=None)
        self._lists = PagedList(kind, scope, client=client, read=read, stop=self._stop, page_size=options.page_size)
        self._use_watch_list = options.use_watch_list
        # None: the next step must list.
        self._version: int | None = None
        # The version the next list must have reached: "" means the newest there is.
        self._list_version = _first_version(known_version, is_consistent=options.is_consistent)
        self._short_watches = 0
        self._silent_watches = 0
        self.state = ReflectorState.NEW
        self.last_error: WindlassError | None = None

    def run(self) -> None:
        """Until `stop`; never raises."""
        while not self._stop.is_set():
            try:
                self._step()
            except Cancelled:
                # By a stop, or by a refresh, which the next list is for.
                self._version = None
            except WindlassError as error:
                self._fail(error)
            except Exception as error:  # noqa: BLE001 - whatever it is, a watch must not die unseen
                # Which events reached the cache before it is not certain: the version is given up.
                _log.exception("reflector_bug", resource=self._name)
                self._fail(WindlassError(f"{type(error).__name__}: {error}"))
        self.state = ReflectorState.STOPPED

    def stop(self) -> None:
        self._stop.set()
        self._refreshes.interrupt()

    def refresh(self) -> None:
        """List again, consistently, as soon as possible."""
        self._refreshes.ask()

    @property
    def is_refreshed(self) -> bool:
        """What was asked for by the last `refresh` has been done."""
        return self._refreshes.are_done

    def retry_now(self) -> None:
        """What failed may work again: do not wait any longer, and not as long the next time."""
        self._backoff.reset()
        self._refreshes.wake()

    def _step(self) -> None:
        # Before the attempt: one that was under way when somebody said so may have come too early.
        self._refreshes.forget_wake()
        if self._version is None:
            self._begin()
        elif self._silent_watches >= _FRUITLESS:
            self._ask_for(self._version)
        else:
            self._watch(self._version)

    def _begin(self) -> None:
        self.state = ReflectorState.LISTING
        self._short_watches = self._silent_watches = 0
        if self._refreshes.begin():
            self._list_version = ""
            # What asked for the end of the run before it began is forgotten with the cancellation.
            if self._stop.is_set():
                return
        if self._use_watch_list:
            self._watch_list()
        else:
            entries, version = self._lists.fetch(self._list_version)
            self._sink.replace(entries, version)
            self._advance(version)

    def _watch_list(self) -> None:
        query = {
            "sendInitialEvents": "true",
            "resourceVersionMatch": "NotOlderThan",
            # "0" would allow an initial state older than what an earlier process acted upon.
            "resourceVersion": "" if self._list_version == "0" else self._list_version,
        }
        stream = self._new_stream(None)
        try:
            broken = self._stream(stream, query)
        except (Invalid, BadRequest) as error:
            if stream.is_open:
                raise
            # Older servers, and resources without a watch cache, refuse sendInitialEvents.
            _log.info("watch_list_not_supported", resource=self._name, error=str(error))
            self._use_watch_list = False
            return
        if stream.version is None:
            raise broken or TransportError("the server ended the watch before the initial state was complete")
        if broken is not None:
            self._report(broken)

    def _watch(self, version: int) -> None:
        stream = self._new_stream(version)
        started = self._clock.monotonic()
        broken = self._stream(stream, {"resourceVersion": str(version)})
        if stream.version == version and self._clock.monotonic() - started < SHORT_WATCH_SECONDS:
            self._on_short_watch()
            raise broken or TransportError("the server ended the watch at once, with nothing new")
        self._short_watches = 0
        if broken is not None:
            # Counted, but not waited for: a proxy that cuts every watch after a minute would make us blind for another.
            self._report(broken)

    def _on_short_watch(self) -> None:
        self._short_watches += 1
        if self._short_watches >= _FRUITLESS:
            # Kinds without a watch cache (Events) close a watch from a version that is gone instead of saying 410.
            self._version = None

    def _ask_for(self, version: int) -> None:
        """A server that has lost our version, restored from a backup perhaps, lets us watch in silence for ever."""
        self._silent_watches = 0
        self.last_error = TimedOut(f"nothing heard for {_FRUITLESS} times {self._timeouts.idle_seconds:g} s")
        self._lists.ask_for(version)
        self.last_error = None

    def _new_stream(self, version: int | None) -> WatchStream:
        return WatchStream(self._sink, self._read, version=version, on_unknown=self._on_unknown)

    def _stream(self, stream: WatchStream, query: dict[str, str]) -> TransportError | None:
        """Read *stream* to its end; return what broke it, if it did not end as it should."""
        version = stream.version
        timeout = int(self._random.uniform(SHORTEST_WATCH_SECONDS, LONGEST_WATCH_SECONDS))
        whole_query = {**self._scope.query, **query, "allowWatchBookmarks": "true", "timeoutSeconds": str(timeout)}
        silent_watches, self._silent_watches = self._silent_watches, 0
        try:
            self._client.watch(
                self._kind,
                self._scope.namespace,
                whole_query,
                on_chunk=partial(self._on_chunk, stream),
                cancellation=self._refreshes.cancellation,
                timeouts=self._timeouts,
                metadata_only=self._scope.metadata_only,
            )
        except Cancelled:
            raise
        except TransportError as error:
            if not stream.is_open:
                raise
            if stream.version is None or not isinstance(error, TimedOut):
                return error
            # No failure: the connection may be dead, but a resource to which nothing happens is as silent.
            self._silent_watches = silent_watches + 1 if stream.version == version else 0
        finally:
            if stream.version is not None:
                self._advance(stream.version)
        return None

    def _on_chunk(self, stream: WatchStream, chunk: bytes) -> None:
        stream.on_chunk(chunk)
        if stream.version is None and 0 < len(chunk) < _SMALL_CHUNK_BYTES:
            # The server sends the initial state object by object. Waking for each would cost more than reading it.
            self._clock.wait(_GATHER_SECONDS)
        # The empty chunk at the head of an answer counts: a quiet watch is live as well.
        if stream.version is not None and self.state is not ReflectorState.WATCHING:
            self._is_watching()

    def _is_watching(self) -> None:
        self.state = ReflectorState.WATCHING
        self._refreshes.complete()
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
        if isinstance(error, NotFound):
            self._on_not_found()
        if not self._stop.is_set():
            self._refreshes.pause(self._pause_after(error))

    def _forget_version_after(self, error: WindlassError) -> None:
        if isinstance(error, Expired | TooLargeResourceVersion):
            # The server cannot serve this version, or not yet; only its newest state is certain to be there.
            self._version, self._list_version = None, ""
        elif not isinstance(error, _KEEPS_VERSION):
            self._version = None

    def _pause_after(self, error: WindlassError) -> float:
        is_absence = isinstance(error, Forbidden | NotFound)
        pause = self._backoff.next_wait(LONGEST_ABSENCE_SECONDS if is_absence else LONGEST_SECONDS)
        asked = error.retry_after_seconds if isinstance(error, ApiError) else None
        # Jitter only upwards: a server that named a time is not asked earlier, nor by all at the same moment.
        return max(pause, min(asked or 0.0, LONGEST_SECONDS) * self._random.uniform(1.0, 1.2))

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


def _first_version(known_version: int | None, *, is_consistent: bool) -> str:
    if is_consistent:
        return ""
    return "0" if known_version is None else str(known_version)
