"""A deadline that everything called inside a scope respects, without being passed through every signature."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec


class Deadline(msgspec.Struct, frozen=True):
    """A moment on the monotonic clock, and how long the whole was allowed to take."""

    at: float
    timeout_seconds: float


_current: ContextVar[Deadline | None] = ContextVar("windlass_deadline", default=None)


def current_deadline() -> Deadline | None:
    return _current.get()


@contextmanager
def deadline_scope(deadline: Deadline | None) -> Iterator[None]:
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)
