"""What a reconcile that did not fail says about the next one."""

import msgspec


class Result(msgspec.Struct, frozen=True):
    requeue_after_seconds: float | None = None
    requeue: bool = False
    # None keeps the priority that this request had.
    priority: int | None = None

    @classmethod
    def await_change(cls) -> "Result":
        """Nothing more to do until an event comes."""
        return _AWAIT_CHANGE

    @classmethod
    def after(cls, seconds: float, *, priority: int | None = None) -> "Result":
        """Look again in *seconds*, even if nothing happens."""
        return cls(requeue_after_seconds=seconds, priority=priority)

    @classmethod
    def with_backoff(cls, *, priority: int | None = None) -> "Result":
        """Look again after the delay that a failure would have, without calling it one."""
        return cls(requeue=True, priority=priority)


_AWAIT_CHANGE = Result()
