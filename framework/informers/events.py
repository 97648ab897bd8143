"""Splits the bytes of a watch into events."""

from collections.abc import Iterator

import msgspec


class WatchEvent(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


class BookmarkMeta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] = {}


class Bookmark(msgspec.Struct):
    metadata: BookmarkMeta

    @property
    def ends_initial_events(self) -> bool:
        return self.metadata.annotations.get("k8s.io/initial-events-end") == "true"


decode_bookmark = msgspec.json.Decoder(Bookmark).decode
_decode_event = msgspec.json.Decoder(WatchEvent).decode


class EventSplitter:
    """Turns chunks cut anywhere into whole events; an unfinished line at the end of the stream is dropped."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> Iterator[WatchEvent]:
        """The events that *chunk* completes. Raises msgspec.DecodeError at a line that is none."""
        lines = (self._rest + chunk).split(b"\n") if self._rest else chunk.split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if line and not line.isspace():
                yield _decode_event(line)
