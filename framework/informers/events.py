"""Splits the bytes of a watch into events."""

from collections.abc import Iterator

import msgspec

# Far above what the server stores in one object (1.5 MB), so that only a broken stream meets it.
LONGEST_LINE_BYTES = 32 * 1024 * 1024


class WatchEvent(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


class BookmarkMeta(msgspec.Struct, rename="camel"):
    resource_version: str
    annotations: dict[str, str] = {}


class Bookmark(msgspec.Struct):
    metadata: BookmarkMeta

    @property
    def version(self) -> int:
        return int(self.metadata.resource_version)

    @property
    def ends_initial_events(self) -> bool:
        return self.metadata.annotations.get("k8s.io/initial-events-end") == "true"


decode_bookmark = msgspec.json.Decoder(Bookmark).decode
_decode_event = msgspec.json.Decoder(WatchEvent).decode


class EventSplitter:
    """Turns chunks cut anywhere into whole events; an unfinished line at the end of the stream is dropped."""

    def __init__(self, longest_line_bytes: int = LONGEST_LINE_BYTES) -> None:
        self._longest_line_bytes = longest_line_bytes
        # The begin of a line, in the pieces it came in: a large object is joined once, not once a chunk.
        self._pieces: list[bytes] = []
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[WatchEvent]:
        """The events that *chunk* completes. Raises ValueError at a line that is none; then the stream is over."""
        *lines, rest = chunk.split(b"\n")
        if lines:
            lines[0] = self._finish(lines[0])
        for line in lines:
            if line and not line.isspace():
                yield _decode_event(line)
        self._keep(rest)

    def _finish(self, end: bytes) -> bytes:
        if not self._pieces:
            return end
        line = b"".join([*self._pieces, end])
        self._pieces, self._length = [], 0
        return line

    def _keep(self, begin: bytes) -> None:
        if not begin:
            return
        self._pieces.append(begin)
        self._length += len(begin)
        if self._length > self._longest_line_bytes:
            raise ValueError(f"a line of more than {self._longest_line_bytes} bytes")
