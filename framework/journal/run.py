"""One reconcile, from its begin to its end and to what comes after it."""

from contextvars import ContextVar
from typing import Literal

import msgspec

from apis.meta import Key
from framework.journal.call import Call
from framework.store import set_read_notes
from framework.workqueue import Reason

Outcome = Literal["running", "success", "requeue_after", "requeue", "error", "terminal_error"]
# A reconcile that makes more than this shows how it began; the rest is counted.
MAX_CALLS = 32
MAX_CACHE_READS = 16


class CacheRead(msgspec.Struct, frozen=True, gc=False):
    """An object that was looked up in a cache, or so many that were listed."""

    resource: str
    namespace: str = ""
    name: str = ""
    # Empty when the cache does not have it.
    version: str = ""
    # None for a single object.
    listed: int | None = None


class Run(msgspec.Struct, gc=False):
    """Written by the worker that makes it, read by anybody at any time."""

    id: str
    # On the monotonic clock.
    started_at: float
    waited_seconds: float
    priority: int
    reasons: tuple[Reason, ...]
    # None while it runs.
    took_seconds: float | None = None
    cache_reads: tuple[CacheRead, ...] = ()
    cache_reads_left_out: int = 0
    calls: tuple[Call, ...] = ()
    calls_left_out: int = 0
    outcome: Outcome = "running"
    error: str = ""
    # From its end; None: not by the clock.
    next_in_seconds: float | None = None

    def note(self, call: Call) -> None:
        if len(self.calls) < MAX_CALLS:
            self.calls = (*self.calls, call)
        else:
            self.calls_left_out += 1

    def note_read(self, resource: str, key: Key, version: str) -> None:
        self._note_cache(CacheRead(resource, key.namespace, key.name, version))

    def note_list(self, resource: str, namespace: str, number: int) -> None:
        self._note_cache(CacheRead(resource, namespace, listed=number))

    def _note_cache(self, read: CacheRead) -> None:
        if len(self.cache_reads) >= MAX_CACHE_READS:
            self.cache_reads_left_out += 1
        elif read not in self.cache_reads:
            self.cache_reads = (*self.cache_reads, read)


_current: ContextVar[Run | None] = ContextVar("windlass_run", default=None)


def set_current_run(run: Run) -> None:
    """For the rest of the calling context."""
    _current.set(run)
    set_read_notes(run)


def current_run() -> Run | None:
    return _current.get()


def current_reasons() -> tuple[Reason, ...]:
    """Why the reconcile that calls this runs; empty outside of one, and if no journal is kept.

    To be told, not to be decided by: what matters is the state that is found.
    """
    run = _current.get()
    return () if run is None else run.reasons
