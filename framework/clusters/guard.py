"""Keeps a cluster from taking more workers than its share."""

from collections.abc import Callable

import msgspec

from framework.client import Call, Cancellation, HttpResponse, Sender
from framework.clock import Clock
from framework.clusters.health import ClusterHealth
from framework.clusters.options import ClusterOptions
from framework.errors import ClusterBusy, ClusterUnreachable, DeadlineExceeded, TimedOut
from framework.randomness import Random
from framework.runtime import Deadline, Runtime, current_deadline, deadline_scope

_BUSY_SECONDS = 1.0


class GuardedConnection:
    """Lets so many calls through at a time, and none while the cluster does not answer; the others fail at once.

    A call that is let through ends within `request_seconds`, whatever the
    cluster does. So a cluster that hangs holds at most *limit* workers, for
    that long, once: then it is known not to answer.
    """

    def __init__(
        self,
        cluster: str,
        inner: Sender,
        health: ClusterHealth,
        *,
        limit: int,
        options: ClusterOptions,
        clock: Clock,
        runtime: Runtime,
        random: Random,
    ) -> None:
        self._cluster = cluster
        self._inner = inner
        self._health = health
        self._limit = limit
        self._options = options
        self._timeouts = options.timeouts
        self._clock = clock
        self._random = random
        # Guards the numbers below.
        self._lock = runtime.lock()
        self._under_way = 0
        self.most_under_way = 0
        self.refused_busy = 0
        self.refused_unreachable = 0

    @property
    def server(self) -> str:
        return self._inner.server

    @property
    def under_way(self) -> int:
        return self._under_way

    def send(self, call: Call, before_each: Callable[[], None] = lambda: None) -> HttpResponse:
        """As a Connection; raises ClusterBusy or ClusterUnreachable, and has sent nothing then."""
        self._refuse_if_unreachable()
        self._begin()
        try:
            return self._within_time(call, before_each)
        finally:
            with self._lock:
                self._under_way -= 1

    def stream(self, call: Call, on_chunk: Callable[[bytes], None], cancellation: Cancellation) -> None:
        """Not counted: whoever streams has a task for it."""
        self._refuse_if_unreachable()
        self._inner.stream(call, on_chunk, cancellation)

    def close(self) -> None:
        """Nothing: the connection is that of the whole cluster."""

    def _begin(self) -> None:
        with self._lock:
            if self._under_way < self._limit:
                self._under_way += 1
                self.most_under_way = max(self.most_under_way, self._under_way)
                return
            self.refused_busy += 1
        raise ClusterBusy(
            f"cluster {self._cluster!r}: {self._limit} requests are under way, which is its share",
            retry_after_seconds=_BUSY_SECONDS * self._random.uniform(1.0, 2.0),
        )

    def _refuse_if_unreachable(self) -> None:
        health = self._health.now
        if health.state.takes_requests:
            return
        with self._lock:
            self.refused_unreachable += 1
        raise ClusterUnreachable(
            f"cluster {self._cluster!r} does not answer: {health.error}",
            retry_after_seconds=self._options.retry_seconds * self._random.uniform(1.0, 2.0),
        )

    def _within_time(self, call: Call, before_each: Callable[[], None]) -> HttpResponse:
        seconds = self._options.request_seconds
        deadline, outer = Deadline(self._clock.monotonic() + seconds, seconds), current_deadline()
        limited = msgspec.structs.replace(call, timeouts=self._timeouts)
        try:
            with deadline_scope(deadline):
                return self._inner.send(limited, before_each)
        except DeadlineExceeded as error:
            if outer is not None and outer.at <= deadline.at:
                raise
            # Ours, not that of the reconcile.
            raise TimedOut(f"cluster {self._cluster!r}: {error}") from error
