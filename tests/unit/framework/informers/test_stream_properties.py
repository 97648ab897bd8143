"""However the bytes of a watch are cut, the cache and the changes are the same."""

from hypothesis import given
from hypothesis import strategies as st

from apis.core.v1 import ConfigMap
from apis.meta import Key, resource_type_of
from framework.client import Codec
from framework.informers.stream import WatchStream
from framework.runtime import ThreadRuntime
from framework.store import Entry, EventType, Store, decode_envelope
from tests.unit.framework.informers.scripted import bookmark, line, obj

NAMES = st.sampled_from(["a", "b", "ä😀"])
CHANGES = st.tuples(st.sampled_from(["ADDED", "MODIFIED", "DELETED"]), NAMES, st.integers(1, 40), st.integers(1, 3))
LINES = st.one_of(
    CHANGES.map(lambda change: line(change[0], obj(change[1], change[2], uid=str(change[3])))),
    st.integers(1, 40).map(bookmark),
    st.just(b"\n"),
    st.just(b'{"type":"UNKNOWN","object":{}}\n'),
)
BREAKS = st.lists(st.integers(0, 10_000), max_size=30)


class Cache:
    """A store that writes down what changed, as one text for each change."""

    def __init__(self) -> None:
        self.store: Store[ConfigMap] = Store(Codec(ConfigMap, _RESOURCE_TYPE).decode, ThreadRuntime())
        self.changes: list[str] = []

    def replace(self, entries: dict[Key, Entry], version: int) -> None:
        self.changes += map(str, self.store.replace(entries, "", version))

    def apply(self, events: list[tuple[EventType, Entry]], version: int) -> None:  # noqa: ARG002 - a Sink
        self.changes += map(str, self.store.apply(events))

    def progress(self, version: int) -> None:
        pass

    @property
    def content(self) -> dict[Key, tuple[int, str]]:
        return {entry.key: (entry.version, entry.uid) for entry in self.store.entries()}


_RESOURCE_TYPE = resource_type_of(ConfigMap)


def read(chunks: list[bytes], version: int | None) -> tuple[object, ...]:
    cache = Cache()
    stream = WatchStream(cache, decode_envelope, version=version, on_unknown=lambda _: None)
    for chunk in chunks:
        stream.on_chunk(chunk)
    return cache.content, cache.changes, cache.store.ignored_events, stream.version


def cut(whole: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(whole) + 1) for place in places})
    return [whole[start:end] for start, end in zip([0, *ends], [*ends, len(whole)], strict=True)]


@given(st.lists(LINES, max_size=12), BREAKS)
def test_a_watch_gives_the_same_however_it_is_cut(lines: list[bytes], places: list[int]) -> None:
    whole = b"".join(lines)

    assert read(cut(whole, places), 1) == read([whole], 1)


@given(st.lists(LINES, max_size=12), st.lists(LINES, max_size=6), BREAKS)
def test_a_watch_list_gives_the_same_however_it_is_cut(
    initial: list[bytes], later: list[bytes], places: list[int]
) -> None:
    whole = b"".join([*initial, bookmark(20, ends_initial=True), *later])

    assert read(cut(whole, places), None) == read([whole], None)


@given(st.lists(LINES, min_size=1, max_size=12), st.integers(0, 10_000))
def test_a_watch_that_is_cut_and_resumed_ends_like_one_that_was_not(lines: list[bytes], place: int) -> None:
    whole = b"".join(lines)
    cache, straight = Cache(), Cache()
    WatchStream(straight, decode_envelope, version=1, on_unknown=lambda _: None).on_chunk(whole)
    first = WatchStream(cache, decode_envelope, version=1, on_unknown=lambda _: None)

    first.on_chunk(whole[: place % len(whole)])
    # A server that resumes from too early repeats events; that must not matter either.
    WatchStream(cache, decode_envelope, version=first.version, on_unknown=lambda _: None).on_chunk(whole)

    assert {key: version for key, (version, _) in cache.content.items()} == {
        key: version for key, (version, _) in straight.content.items()
    }
