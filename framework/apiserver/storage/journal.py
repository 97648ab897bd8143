"""Where writes go before they are answered."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from apis.meta import Key
from framework.apiserver.objects import GroupResource


class StoredRow(NamedTuple):
    resource: GroupResource
    key: Key
    revision: int
    raw: bytes


class JournalWrite(NamedTuple):
    revision: int
    resource: GroupResource
    key: Key
    # None: the object is gone.
    raw: bytes | None


class Journal(Protocol):
    def load(self) -> tuple[int, Iterable[StoredRow]]:
        """The last revision, and every object, of each resource in the order of its keys."""

    def commit(self, writes: Sequence[JournalWrite]) -> None:
        """Make all *writes*, which come in the order of their revisions, safe. If it raises, none of them was made."""

    def close(self) -> None: ...
