"""Keeps a new leader from acting on caches that are older than what the leader before it acted upon."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import structlog

from framework.clock import Clock
from framework.errors import NotFound
from framework.informers import SharedInformer
from framework.manager.acted_upon import ActedUpon
from framework.runtime import Event, Runtime

Informer = SharedInformer[Any]

# Events are on their way for milliseconds; but a bookmark, the only other way to come further, may take a minute.
PATIENCE_SECONDS = 0.5
_FIRST_POLL_SECONDS, _LONGEST_POLL_SECONDS = 0.02, 1.0

_log = structlog.get_logger("windlass.leader")


class _Wanted(msgspec.Struct, frozen=True):
    """What a cache must do before it may be acted upon: reach a version, or be read again whatever it has."""

    version: int
    must_be_read: bool

    def __str__(self) -> str:
        return "to be read again" if self.must_be_read else f"to reach version {self.version}"


class CatchUp:
    """Knows at each takeover which caches are behind, and brings them up to date.

    A leader that gave its Lease up has left a whole record, and a cache that
    has come as far is as good as its own was. One that fell silent has acted
    after its last renewal too, upon versions that nobody knows. Then, and
    when a cache does not come there by itself, it is listed again,
    consistently: what that brings is the newest there is.
    """

    def __init__(
        self, informers: Callable[[], Iterable[Informer]], acted_upon: ActedUpon, *, clock: Clock, runtime: Runtime
    ) -> None:
        self._informers = informers
        self._acted_upon = acted_upon
        self._clock = clock
        self._runtime = runtime
        self._changed = runtime.condition()
        # Replaced, never altered: it is read without the condition.
        self._behind: Mapping[Informer, _Wanted] = {}
        self._stop = runtime.event()

    def begin(self, recorded: Mapping[str, int], *, is_whole: bool) -> None:
        """A leader begins that found *recorded* in the Lease; called before it may work."""
        self._stop.set()
        wanted = {
            informer: _Wanted(recorded.get(informer.resource_type.name, 0), must_be_read=not is_whole)
            for informer in self._informers()
        }
        behind = {informer: want for informer, want in wanted.items() if not _has_reached(informer, want)}
        self._set(behind)
        if behind:
            stop = self._stop = self._runtime.event()
            self._runtime.spawn("leader-catch-up", lambda: self._run(stop))

    def stop(self) -> None:
        self._stop.set()

    def blocks(self, concerns: Callable[[Informer], bool]) -> bool:
        """Whether a cache is behind that *concerns* is true for."""
        behind = self._behind
        return bool(behind) and any(map(concerns, behind))

    def wait(self, concerns: Callable[[Informer], bool], timeout: float | None) -> bool:
        """Block until it is not so; false when *timeout* seconds passed first, or it is still so after a change."""
        with self._changed:
            return not self.blocks(concerns) or (self._changed.wait(timeout) and not self.blocks(concerns))

    @property
    def count(self) -> int:
        return len(self._behind)

    @property
    def problem(self) -> str | None:
        """What is waited for, in one line; None when nothing is."""
        waits = [
            f"{informer.name} {want} ({informer.problem or 'under way'})" for informer, want in self._behind.items()
        ]
        return f"leads, but waits for {', '.join(waits)}" if waits else None

    def _set(self, behind: Mapping[Informer, _Wanted]) -> None:
        with self._changed:
            self._behind = behind
            self._changed.notify_all()

    def _run(self, stop: Event) -> None:
        _log.info("leader_catches_up", informers={informer.name: str(want) for informer, want in self._behind.items()})
        patient_until = self._clock.monotonic() + PATIENCE_SECONDS
        asked: set[Informer] = set()
        pause = 0.0
        while self._behind and not stop.wait(pause):
            self._refresh(asked, is_patient=self._clock.monotonic() < patient_until)
            self._settle(stop, asked)
            pause = min(2 * pause or _FIRST_POLL_SECONDS, _LONGEST_POLL_SECONDS)

    def _refresh(self, asked: set[Informer], *, is_patient: bool) -> None:
        for informer, want in self._behind.items():
            if informer not in asked and (want.must_be_read or not is_patient):
                asked.add(informer)
                informer.refresh()

    def _settle(self, stop: Event, asked: set[Informer]) -> None:
        known = set(self._informers())
        behind = {
            informer: want
            for informer, want in self._behind.items()
            if informer in known and not self._is_up_to_date(informer, want, is_asked=informer in asked)
        }
        if len(behind) != len(self._behind) and not stop.is_set():
            self._set(behind)

    def _is_up_to_date(self, informer: Informer, want: _Wanted, *, is_asked: bool) -> bool:
        if isinstance(informer.failure, NotFound):
            # The server knows no such resource any more.
            return True
        if not is_asked or not informer.is_refreshed:
            return _has_reached(informer, want)
        if informer.version < want.version:
            _log.warning("recorded_version_unknown", resource=informer.name, recorded=want.version)
            self._acted_upon.correct(informer.resource_type.name, informer.version)
        return True


def _has_reached(informer: Informer, want: _Wanted) -> bool:
    return not want.must_be_read and informer.version >= want.version
