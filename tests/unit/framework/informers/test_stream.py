"""From the bytes of a watch to changes: cut anywhere, broken anywhere."""

import pytest

from framework.errors import Expired, TooManyRequests, TransportError
from framework.informers.events import EventSplitter
from framework.informers.stream import WatchStream
from framework.store import decode_envelope
from tests.unit.framework.informers.scripted import RecordingSink, bookmark, line, obj, status


class Reader:
    def __init__(self, version: int | None = 5) -> None:
        self.sink = RecordingSink()
        self.unknown: list[str] = []
        self.stream = WatchStream(self.sink, decode_envelope, version=version, on_unknown=self.unknown.append)

    def read(self, *chunks: bytes) -> None:
        for chunk in chunks:
            self.stream.on_chunk(chunk)


def test_the_head_of_an_answer_opens_the_stream() -> None:
    reader = Reader()
    before = reader.stream.is_open

    reader.read(b"")

    assert not before
    assert reader.stream.is_open


def test_every_way_to_cut_a_line_in_two_gives_the_same() -> None:
    whole = line("ADDED", obj("ä€😀", 6, annotations={"text": "ü\\n😀"}))

    for cut in range(len(whole) + 1):
        reader = Reader()
        reader.read(whole[:cut], whole[cut:])
        assert reader.sink.content == {"ä€😀": 6}
        assert reader.stream.version == 6


def test_two_lines_in_one_chunk_are_two_events() -> None:
    reader = Reader()

    reader.read(line("ADDED", obj("a", 6)) + line("ADDED", obj("b", 7)))

    assert reader.sink.content == {"a": 6, "b": 7}
    assert reader.stream.version == 7


def test_a_line_of_many_chunks_is_one_event() -> None:
    reader = Reader()
    whole = line("ADDED", obj("a", 6, annotations={"large": "x" * 100_000}))

    reader.read(*[whole[start : start + 13] for start in range(0, len(whole), 13)])

    assert reader.sink.content == {"a": 6}


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    splitter = EventSplitter(longest_line_bytes=100)
    list(splitter.feed(b"x" * 100))

    with pytest.raises(ValueError, match="more than 100 bytes"):
        list(splitter.feed(b"x"))


def test_empty_lines_are_passed_over() -> None:
    reader = Reader()

    reader.read(b"\n\r\n  \n", line("ADDED", obj("a", 6)), b"\n")

    assert reader.sink.content == {"a": 6}
    assert reader.unknown == []


def test_half_a_line_at_the_end_is_dropped() -> None:
    reader = Reader()

    reader.read(line("ADDED", obj("a", 6)), line("ADDED", obj("b", 7))[:-1])

    assert reader.sink.content == {"a": 6}
    assert reader.stream.version == 6


@pytest.mark.parametrize(
    "broken",
    [
        b"{\n",
        b"nonsense\n",
        b"[]\n",
        b'{"type":"ADDED"}\n',
        b'{"type":"ADDED","object":[]}\n',
        b'{"type":"ADDED","object":{"metadata":{}}}\n',
        b'{"type":"ADDED","object":{"metadata":{"name":"x","resourceVersion":"soon"}}}\n',
        b'{"type":"BOOKMARK","object":{"metadata":{}}}\n',
        b'{"type":"ADDED","object":{"metadata":{"name":"\xff","resourceVersion":"9"}}}\n',
        line("ADDED", obj("x", 8))[:-1] + line("ADDED", obj("y", 9)),
    ],
)
def test_what_is_no_event_ends_the_stream_after_the_last_good_one(broken: bytes) -> None:
    reader = Reader()

    with pytest.raises(TransportError, match="unreadable watch event"):
        reader.read(line("ADDED", obj("a", 6)) + broken + line("ADDED", obj("b", 10)))

    assert reader.sink.content == {"a": 6}
    assert reader.stream.version == 6


def test_an_error_event_raises_what_it_says_after_the_events_before_it() -> None:
    reader = Reader()

    with pytest.raises(Expired):
        reader.read(line("ADDED", obj("a", 6)) + line("ERROR", status(410, "Expired")))

    assert reader.stream.version == 6


def test_an_error_event_says_how_long_to_wait() -> None:
    reader = Reader()

    with pytest.raises(TooManyRequests) as raised:
        reader.read(line("ERROR", status(429, "TooManyRequests", retry_after=7)))

    assert raised.value.retry_after_seconds == 7


def test_unknown_types_are_told_and_passed_over() -> None:
    reader = Reader()

    reader.read(b'{"type":"RENAMED","object":{"whatever":true}}\n', line("ADDED", obj("a", 6)))

    assert reader.unknown == ["RENAMED"]
    assert reader.sink.content == {"a": 6}


def test_bookmarks_move_the_version_forwards_only() -> None:
    reader = Reader()

    reader.read(bookmark(9), bookmark(8))

    assert reader.stream.version == 9
    assert reader.sink.versions == [9, 9]


def test_an_older_event_after_a_newer_one_does_not_turn_the_version_back() -> None:
    reader = Reader()

    reader.read(line("ADDED", obj("a", 9)) + line("ADDED", obj("b", 7)))

    assert reader.stream.version == 9


def test_the_initial_state_is_one_replacement_whatever_its_order() -> None:
    reader = Reader(version=None)

    reader.read(line("ADDED", obj("a", 90)), line("ADDED", obj("b", 3)), bookmark(50))
    before = dict(reader.sink.content), reader.stream.version
    reader.read(bookmark(95, ends_initial=True))

    assert before == ({}, None)
    assert reader.sink.content == {"a": 90, "b": 3}
    assert reader.sink.replacements == 1
    assert reader.stream.version == 95


def test_what_changes_during_the_initial_state_is_part_of_it() -> None:
    reader = Reader(version=None)

    reader.read(*(line("ADDED", obj(name, 3)) for name in "abc"))
    reader.read(line("MODIFIED", obj("a", 6)), line("DELETED", obj("b", 7)), line("MODIFIED", obj("a", 4)))
    reader.read(bookmark(8, ends_initial=True))

    assert reader.sink.content == {"a": 6, "c": 3}


def test_after_the_initial_state_the_stream_goes_on_as_a_watch() -> None:
    reader = Reader(version=None)

    reader.read(line("ADDED", obj("a", 3)) + bookmark(8, ends_initial=True) + line("DELETED", obj("a", 9)))

    assert reader.sink.content == {}
    assert reader.stream.version == 9
