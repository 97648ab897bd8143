"""Whether a cluster answers, since when, and what it said last."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

import msgspec

from framework.clock import Clock
from framework.errors import (
    Cancelled,
    ClusterUnavailable,
    ConfigurationError,
    DeadlineExceeded,
    TransportError,
    Unauthorized,
    WindlassError,
)
from framework.log import without_secrets
from framework.runtime import Runtime


class ClusterState(StrEnum):
    """A failure makes a reachable cluster suspect, and any other unreachable; an answer makes it reachable."""

    UNKNOWN = "Unknown"
    REACHABLE = "Reachable"
    SUSPECT = "Suspect"
    UNREACHABLE = "Unreachable"

    @property
    def takes_requests(self) -> bool:
        return self in (ClusterState.UNKNOWN, ClusterState.REACHABLE)


class Health(msgspec.Struct, frozen=True):
    state: ClusterState
    since: datetime
    # What failed last, while it is not reachable; its type tells a refused certificate from a refused token.
    failure: WindlassError | None = None
    # In a row.
    failures: int = 0

    @property
    def error(self) -> str:
        """One line, without secrets."""
        return "" if self.failure is None else str(without_secrets(" ".join(str(self.failure).split())))


class ClusterHealth:
    """What requests and probes have found out; *on_change* hears of each change of the state, in the task that saw it.

    Nothing is heard of a cluster that was suspected and answers after all.
    """

    def __init__(self, *, clock: Clock, runtime: Runtime, on_change: Callable[[Health], None]) -> None:
        self._clock = clock
        self._lock = runtime.lock()
        self._on_change = on_change
        self._health = Health(ClusterState.UNKNOWN, clock.now())

    @property
    def now(self) -> Health:
        return self._health

    def forget(self) -> None:
        """What was found out is about another server."""
        with self._lock:
            self._health = Health(ClusterState.UNKNOWN, self._clock.now())

    def answered(self) -> None:
        # Nearly every call: read without the lock.
        if self._health.state is ClusterState.REACHABLE:
            return
        with self._lock:
            before = self._health
            if before.state is ClusterState.REACHABLE:
                return
            is_news = before.state is not ClusterState.SUSPECT
            self._health = after = Health(ClusterState.REACHABLE, self._clock.now())
        if is_news:
            self._on_change(after)

    def failed(self, failure: WindlassError) -> bool:
        """Whether the cluster is suspect now: somebody should look at once."""
        with self._lock:
            before = self._health
            was_reachable = before.state is ClusterState.REACHABLE
            state = ClusterState.SUSPECT if was_reachable else ClusterState.UNREACHABLE
            since = before.since if state is before.state else self._clock.now()
            self._health = after = Health(state, since, failure, before.failures + 1)
        if state is ClusterState.UNREACHABLE and before.state is not state:
            self._on_change(after)
        return state is ClusterState.SUSPECT


def failure_of(error: WindlassError) -> WindlassError | None:
    """What *error* says against the cluster; None if that is nothing."""
    if isinstance(error, DeadlineExceeded):
        # Raised while a request waited to be sent again, from what it failed with.
        cause = error.__cause__
        return failure_of(cause) if isinstance(cause, WindlassError) else None
    if isinstance(error, Cancelled | ClusterUnavailable):
        return None
    return error if isinstance(error, TransportError | Unauthorized | ConfigurationError) else None
