"""One stored object, and one change of it."""

from collections.abc import Callable
from typing import Literal

import msgspec

from apis.meta import Key
from framework.apiserver.objects import Object

EventType = Literal["ADDED", "MODIFIED", "DELETED"]
_decoder = msgspec.json.Decoder()


class Record(msgspec.Struct, frozen=True, eq=False, gc=False):
    """The object as it was at *revision*, encoded in its storage version."""

    key: Key
    revision: int
    raw: bytes
    # Whether it was written just as it is read; else the next write is one even if it changes nothing.
    is_complete: bool = True

    def decode(self) -> Object:
        """A copy of its own for the caller."""
        obj: Object = _decoder.decode(self.raw)
        return obj


class Change:
    """What one write did. Of a deletion, *record* is the last content with the deletion's revision."""

    __slots__ = ("_frames", "_new", "_old", "previous", "record", "type")

    def __init__(self, event_type: EventType, record: Record, previous: Record | None) -> None:
        self.type = event_type
        self.record = record
        self.previous = previous
        self._frames: dict[object, bytes] | None = None
        self._new: Object | None = None
        self._old: Object | None = None

    @property
    def revision(self) -> int:
        return self.record.revision

    @property
    def obj(self) -> Object:
        """The object after the change, decoded once for all watchers; not to be changed."""
        # Through a variable: the views may be forgotten at any moment.
        new = self._new
        if new is None:
            new = self._new = self.record.decode()
        return new

    @property
    def old(self) -> Object | None:
        old = self._old
        if old is None and self.previous is not None:
            old = self._old = self.previous.decode()
        return old

    def frame(self, shape: object, make: Callable[[], bytes]) -> bytes:
        """The bytes that all watchers of one *shape* get, made for the first of them."""
        frames = self._frames
        if frames is None:
            frames = self._frames = {}
        frame = frames.get(shape)
        if frame is None:
            frame = frames[shape] = make()
        return frame

    def forget_views(self) -> None:
        """Keep the bytes alone; whoever still needs more makes it again."""
        self._frames = self._new = self._old = None
