"""What a reconcile that did not fail says about the next one."""

import math

import msgspec


class Result(msgspec.Struct, frozen=True):
    """Made by the three class methods below; a time to look again wins over a backoff."""

    # None: not by the clock. Zero and less: at once.
    requeue_after_seconds: float | None = None
    requeue: bool = False
    # None keeps the priority that this request had.
    priority: int | None = None

    def __post_init__(self) -> None:
        seconds = self.requeue_after_seconds
        if seconds is not None and not math.isfinite(seconds):
            raise ValueError(f"nobody can look again in {seconds} seconds; to wait for a change, use await_change()")

    @classmethod
    def await_change(cls) -> "Result":
        """Nothing more to do until an event comes."""
        return _AWAIT_CHANGE

    @classmethod
    def after(cls, seconds: float, *, priority: int | None = None) -> "Result":
        """Look again in *seconds*, even if nothing happens; a moment that has passed already means: at once."""
        return cls(requeue_after_seconds=seconds, priority=priority)

    @classmethod
    def with_backoff(cls, *, priority: int | None = None) -> "Result":
        """Look again after the delay that a failure would have, without calling it one."""
        return cls(requeue=True, priority=priority)


_AWAIT_CHANGE = Result()
