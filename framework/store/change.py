"""What happened to one object."""

from collections.abc import Callable
from typing import Generic, TypeVar

from apis.meta import Key, KubeObject
from framework.store.entry import Entry

T = TypeVar("T", bound=KubeObject)


class Change(Generic[T]):
    """The object before and after; None before its creation and after its deletion.

    Objects are decoded when `old` or `new` is first read, so a handler that
    needs only the key pays for nothing else.
    """

    __slots__ = ("_decode", "is_initial", "is_listed", "new_entry", "old_entry")

    def __init__(
        self,
        decode: Callable[[Entry], T],
        old: Entry | None,
        new: Entry | None,
        *,
        is_initial: bool = False,
        is_listed: bool = False,
    ) -> None:
        self._decode = decode
        self.old_entry = old
        self.new_entry = new
        self.is_initial = is_initial
        # Found in a list, together with others: what came first is not known.
        self.is_listed = is_listed or is_initial

    @property
    def key(self) -> Key:
        entry = self.new_entry or self.old_entry
        if entry is None:
            raise ValueError("a change has an old or a new object")
        return entry.key

    @property
    def old(self) -> T | None:
        return None if self.old_entry is None else self._decode(self.old_entry)

    @property
    def new(self) -> T | None:
        return None if self.new_entry is None else self._decode(self.new_entry)

    @property
    def is_resync(self) -> bool:
        """Nothing changed; somebody asked to look again."""
        return self.old_entry is not None and self.old_entry is self.new_entry

    def followed_by(self, later: "Change[T]") -> "Change[T]":
        """Both changes as one, as if nothing had been seen in between."""
        is_initial = self.is_initial and later.is_initial
        is_listed = self.is_listed or later.is_listed
        return Change(self._decode, self.old_entry, later.new_entry, is_initial=is_initial, is_listed=is_listed)

    def parts(self) -> "list[Change[T]]":
        """Another uid is another object: its change is a deletion, unseen perhaps, and a creation."""
        old, new = self.old_entry, self.new_entry
        if old is None or new is None or old.uid == new.uid:
            return [self]
        created = Change(self._decode, None, new, is_initial=self.is_initial, is_listed=self.is_listed)
        return [Change(self._decode, old, None), created]

    def __repr__(self) -> str:
        old, new = self.old_entry, self.new_entry
        return f"Change({self.key}, {old and old.version} -> {new and new.version})"
