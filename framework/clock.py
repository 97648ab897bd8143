"""The Clock seam: every look at a clock and every plain wait goes through it.

Guarantees: `monotonic` never decreases and is unaffected by changes of the
wall clock; `now` is aware, in UTC.
Not guaranteed: any relation between the two.
"""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The wall clock, for what people and other processes read; never for measuring."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, for every duration and deadline."""

    def wait(self, seconds: float) -> None:
        """Let *seconds* pass. Where a stop must end the wait early, wait on an Event of the Runtime instead."""


class SystemClock:
    """The machine's clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - this is the seam

    # The function itself, without a frame around it: a queue reads it at every hand-out.
    monotonic = staticmethod(time.monotonic)  # noqa: TID251 - this is the seam

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: TID251 - this is the seam
