"""Lists of many pages."""

from tests.unit.framework.informers.scripted import Bench, listed, obj, refused


def test_pages_are_one_list_at_the_version_of_the_snapshot() -> None:
    bench = Bench()
    bench.server.will(listed(7, obj("a", 1), continue_="next"), listed(7, obj("b", 2)))

    reflector = bench.start()

    assert bench.sink.content == {"a": 1, "b": 2}
    assert bench.sink.versions == [7]
    assert bench.server.lists[1].query == {"limit": "500", "continue": "next"}
    reflector.stop()


def test_when_a_page_has_expired_everything_is_asked_for_at_once_and_nothing_of_the_pages_is_kept() -> None:
    bench = Bench()
    pages = [listed(7, obj("gone", 1), continue_="next"), refused(410, "Expired"), listed(9, obj("b", 8))]
    bench.server.will(*pages)

    reflector = bench.start()

    assert [request.query.get("continue") for request in bench.server.lists] == [None, "next", None]
    assert bench.server.lists[2].query == {}
    assert bench.sink.content == {"b": 8}
    assert bench.failures == []
    reflector.stop()


def test_a_page_that_fails_otherwise_leaves_the_cache_alone() -> None:
    bench = Bench()
    bench.server.will(listed(7, obj("a", 1), continue_="next"), refused(403, "Forbidden"), listed(9, obj("b", 8)))

    reflector = bench.start()
    before = bench.sink.replacements
    bench.time.advance(1)

    assert before == 0
    assert bench.sink.content == {"b": 8}
    reflector.stop()
