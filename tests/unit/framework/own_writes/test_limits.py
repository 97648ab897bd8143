"""What is kept is bounded, and what a cache does not tell is asked for."""

import pytest
from structlog.typing import EventDict

from framework.errors import CacheBehind
from framework.own_writes.truth import Truth
from framework.store import decode_envelope
from tests.unit.framework.informers.scripted import listed
from tests.unit.framework.own_writes.bench import Bench, content, key_of
from tests.unit.framework.own_writes.test_waiting import Reader

AGE = 15.0


def test_a_cache_that_is_too_far_behind_is_not_read_from_until_it_has_caught_up(logs: list[EventDict]) -> None:
    bench = Bench(limit=2)
    bench.relist(5)
    for version, name in enumerate("abcd", start=6):
        bench.wrote(name, version)
    reader = Reader(bench, lambda: bench.seen("a"))

    bench.time.advance(10.1)
    assert isinstance(reader.results[0], CacheBehind)
    assert len(bench.overlay.pending) == 3
    assert [each["event"] for each in logs] == ["own_writes_overflowed"]
    bench.bookmark(8)
    assert bench.has_pending
    bench.bookmark(9)

    assert not bench.has_pending


def test_a_lost_deletion_keeps_readers_out_until_the_server_has_told_its_version() -> None:
    bench = Bench(limit=1)
    bench.relist(5, content("b", 4))
    bench.wrote("a", 6)
    bench.deleted("b")
    bench.bookmark(20)
    assert bench.has_pending

    bench.time.advance(1)
    bench.will_say(30)
    bench.own_writes.settle(AGE)
    bench.bookmark(29)
    assert bench.has_pending
    bench.bookmark(30)

    assert not bench.has_pending


def test_one_key_deleted_again_and_again_does_not_fill_the_memory() -> None:
    bench = Bench()
    bench.relist(5)

    for number in range(1000):
        bench.deleted("a", f"uid-{number}")

    assert len(bench.overlay.pending) == 2


def test_writing_one_object_again_and_again_does_not_fill_the_memory() -> None:
    bench = Bench()
    bench.relist(5)

    for version in range(6, 1006):
        bench.wrote("a", version)

    assert sum(len(heap) for heap in bench.overlay._ledger._heaps.values()) == 1
    bench.bookmark(500)
    assert bench.seen("a") == 1005
    bench.bookmark(1005)
    assert not bench.has_pending


def test_the_server_is_asked_about_what_has_been_pending_for_long_and_not_before(bench: Bench) -> None:
    bench.relist(5, content("a", 7))
    bench.wrote("a", 7)

    bench.own_writes.settle(AGE)
    assert bench.server.requests == []
    bench.time.advance(AGE)
    bench.will_say(9, content("a", 7))
    bench.own_writes.settle(AGE)

    assert [request.query["fieldSelector"] for request in bench.server.requests] == ["metadata.name=a"]
    assert not bench.has_pending


def test_a_write_that_the_server_lost_with_its_data_is_forgotten(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 70)
    bench.time.advance(AGE)

    bench.will_say(9, content("a", 8))
    bench.own_writes.settle(AGE)

    assert bench.seen("a") == 4
    assert not bench.has_pending


def test_a_cache_that_is_really_behind_goes_on_to_be_overlaid(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    bench.time.advance(AGE)

    bench.will_say(9, content("a", 7))
    bench.own_writes.settle(AGE)

    assert bench.seen("a") == 7


def test_a_write_made_while_the_server_was_asked_is_not_judged_by_its_answer(bench: Bench) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    bench.time.advance(AGE)
    asked_at = bench.time.clock.monotonic()
    bench.time.advance(1)
    bench.wrote("a", 12)

    bench.overlay.settle(key_of("a"), Truth(9, decode_envelope(content("a", 4))), asked_at)

    assert bench.seen("a") == 12


def test_a_cache_that_is_far_behind_is_no_burden_to_the_server(bench: Bench) -> None:
    bench.relist(5)
    for number in range(100):
        bench.wrote(f"a{number}", 10 + number)
        bench.time.advance(0.01)
    bench.time.advance(AGE)
    bench.server.will(*[listed(500)] * 100)

    bench.own_writes.settle(AGE)

    asked = [request.query["fieldSelector"] for request in bench.server.requests]
    assert asked == [f"metadata.name=a{number}" for number in range(20)]


def test_an_object_that_is_gone_is_asked_for_once(bench: Bench) -> None:
    bench.relist(5)
    bench.deleted("a", "unseen")
    bench.time.advance(AGE)
    bench.will_say(9)
    bench.own_writes.settle(AGE)

    bench.own_writes.settle(AGE)
    assert len(bench.server.requests) == 1
    bench.event("ADDED", "a", 6, "unseen")
    assert bench.seen("a") is None
    bench.event("DELETED", "a", 7, "unseen")

    assert not bench.has_pending


def test_a_deletion_that_the_cache_has_passed_is_over_as_soon_as_the_server_tells_its_version(bench: Bench) -> None:
    bench.relist(5)
    bench.deleted("a", "unseen")
    bench.relist(9)
    bench.time.advance(AGE)

    bench.will_say(9)
    bench.own_writes.settle(AGE)

    assert not bench.has_pending


def test_a_server_that_does_not_answer_leaves_everything_as_it_is(bench: Bench, logs: list[EventDict]) -> None:
    bench.relist(5, content("a", 4))
    bench.wrote("a", 7)
    bench.time.advance(AGE)
    bench.will_refuse()

    done: list[bool] = []

    def settle() -> None:
        bench.own_writes.settle(AGE)
        done.append(True)

    bench.time.runtime.spawn("settler", settle)
    bench.time.advance(120)

    assert done == [True]
    assert bench.seen("a") == 7
    assert "own_writes_not_settled" in {each["event"] for each in logs}


@pytest.mark.parametrize("answer", [b"", b"<html>", b"{}", b'{"kind":"Event"}', b'{"metadata":{"name":"a","uid":"x"}}'])
def test_an_answer_that_is_no_object_breaks_no_write(bench: Bench, logs: list[EventDict], answer: bytes) -> None:
    bench.relist(5, content("a", 4))

    bench.own_writes.answered(bench.sending("patch", "a"), answer)

    assert bench.seen("a") == 4
    assert [each["event"] for each in logs] == ["write_answer_not_understood"]
