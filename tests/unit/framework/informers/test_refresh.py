"""A reflector that is told to list again."""

import pytest

from framework.informers import ReflectorOptions
from tests.unit.framework.informers.scripted import Bench, Watch, bookmark, line, listed, obj, refused

WATCH_LIST = ReflectorOptions(use_watch_list=True)


def test_a_refresh_ends_the_watch_and_lists_the_newest_state_there_is() -> None:
    bench = Bench()
    bench.server.will(listed(7, obj("a", 3)), Watch(), listed(9, obj("a", 8)))
    reflector = bench.start()

    reflector.refresh()
    bench.time.wait_until_idle()

    assert "resourceVersion" not in bench.server.lists[-1].query
    assert bench.sink.content == {"a": 8}
    assert reflector.is_refreshed
    assert bench.failures == []
    assert bench.server.watches[-1].version == "9"
    reflector.stop()


def test_a_refresh_by_watch_list_asks_for_the_newest_state_too() -> None:
    bench = Bench()
    first = Watch([line("ADDED", obj("a", 3)), bookmark(7, ends_initial=True)])
    second = Watch([line("ADDED", obj("a", 8)), bookmark(9, ends_initial=True)])
    bench.server.will(first, second)
    reflector = bench.start(WATCH_LIST)
    bench.time.advance(1)

    reflector.refresh()
    bench.time.advance(1)

    assert [(watch.query["sendInitialEvents"], watch.version) for watch in bench.server.watches] == 2 * [("true", "")]
    assert bench.sink.content == {"a": 8}
    assert reflector.is_refreshed
    reflector.stop()


def test_a_refresh_ends_a_pause() -> None:
    bench = Bench()
    bench.server.will(refused(403), listed(7))
    reflector = bench.start()
    assert len(bench.server.lists) == 1

    reflector.refresh()
    bench.time.wait_until_idle()

    assert len(bench.server.lists) == 2
    assert "resourceVersion" not in bench.server.lists[-1].query
    assert bench.server.watches[-1].version == "7"
    reflector.stop()


def test_a_refresh_is_done_only_when_a_list_that_began_after_it_is_complete() -> None:
    bench = Bench()
    half = Watch([line("ADDED", obj("a", 3))], seconds=5)
    bench.server.will(half, refused(503), Watch([bookmark(9, ends_initial=True)]))
    reflector = bench.start(WATCH_LIST)

    reflector.refresh()
    bench.time.wait_until_idle()
    was_refreshed = reflector.is_refreshed
    bench.time.advance(60)

    assert (was_refreshed, reflector.is_refreshed) == (False, True)
    reflector.stop()


@pytest.mark.parametrize("times", [2, 5])
def test_several_refreshes_at_once_are_one(times: int) -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch(), listed(9))
    reflector = bench.start()

    for _ in range(times):
        reflector.refresh()
    bench.time.wait_until_idle()

    assert reflector.is_refreshed
    assert len(bench.server.lists) == 2
    reflector.stop()


def test_a_stop_ends_a_reflector_that_was_refreshed() -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch(), listed(9))
    reflector = bench.start()
    reflector.refresh()
    bench.time.wait_until_idle()

    reflector.stop()
    bench.time.wait_until_idle()

    assert bench.time.blocked() == frozenset()
