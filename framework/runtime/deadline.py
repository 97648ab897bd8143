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
    """Respect *deadline* inside; an earlier one of the scope around it stays in force."""
    token = _current.set(_earlier(_current.get(), deadline))
    try:
        yield
    finally:
        _current.reset(token)


def bind_deadline(deadline: Deadline) -> None:
    """Respect *deadline* from here to the end of the context, which must be one of the caller's own."""
    _current.set(_earlier(_current.get(), deadline))


def _earlier(outer: Deadline | None, inner: Deadline | None) -> Deadline | None:
    if outer is None or inner is None:
        return outer or inner
    return min(outer, inner, key=lambda deadline: deadline.at)
