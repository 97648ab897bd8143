"""Who wants to know what is read from caches in this context."""

from contextvars import ContextVar
from typing import Protocol

from apis.meta import Key


class ReadNotes(Protocol):
    def note_read(self, resource: str, key: Key, version: str) -> None:
        """An object was looked up; *version* is empty when it was not there."""

    def note_list(self, resource: str, namespace: str, number: int) -> None:
        """So many objects were looked through, or found by an index."""


_current: ContextVar[ReadNotes | None] = ContextVar("windlass_reads", default=None)


def set_read_notes(notes: ReadNotes) -> None:
    """For the rest of the calling context."""
    _current.set(notes)


def read_notes() -> ReadNotes | None:
    return _current.get()
