"""What a reflector asks for after what, and when, in virtual time."""

import pytest
from structlog.typing import EventDict

from framework.errors import TransportError
from framework.informers import ReflectorOptions, ReflectorState
from framework.informers.reflector import SILENCE_SECONDS
from tests.unit.framework.informers.scripted import (
    SILENCE,
    Answer,
    Bench,
    FixedRandom,
    Watch,
    bookmark,
    line,
    listed,
    obj,
    refused,
    status,
)

RESET = TransportError("reset")
WATCH_LIST = ReflectorOptions(use_watch_list=True)


@pytest.mark.parametrize(("fraction", "seconds"), [(0.0, "300"), (0.5, "450"), (1.0, "600")])
def test_the_server_is_asked_to_end_a_watch_after_five_to_ten_minutes(fraction: float, seconds: str) -> None:
    bench = Bench(random=FixedRandom(fraction))
    bench.server.will(listed(7))

    reflector = bench.start()

    assert [watch.query["timeoutSeconds"] for watch in bench.server.watches] == [seconds]
    reflector.stop()


def test_a_watch_is_given_up_when_it_is_silent_for_longer_than_bookmarks_take_and_before_history_ends() -> None:
    bench = Bench()

    reflector = bench.start(WATCH_LIST)

    timeouts = bench.server.watches[0].timeouts
    assert 60 < SILENCE_SECONDS <= 75 - 6
    assert timeouts.idle_seconds == SILENCE_SECONDS
    assert timeouts.total_seconds is None
    reflector.stop()


def test_the_first_list_may_be_any_state_and_comes_in_pages() -> None:
    bench = Bench()
    bench.server.will(listed(7, obj("a", 3)))

    reflector = bench.start()

    assert bench.server.lists[0].query == {
        "limit": "500",
        "resourceVersion": "0",
        "resourceVersionMatch": "NotOlderThan",
    }
    assert [watch.version for watch in bench.server.watches] == ["7"]
    assert bench.sink.content == {"a": 3}
    reflector.stop()


def test_a_later_list_is_not_older_than_what_was_seen_and_comes_as_a_whole() -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch([line("ADDED", obj("a", 9))], 2.0), refused(400, "BadRequest"), listed(12))

    reflector = bench.start()
    bench.time.advance(4)

    assert bench.server.lists[1].query == {"resourceVersion": "9", "resourceVersionMatch": "NotOlderThan"}
    reflector.stop()


def test_a_watch_begins_at_the_version_of_the_list_not_at_that_of_an_item() -> None:
    bench = Bench()
    bench.server.will(listed(50, obj("a", 40), obj("b", 12)))

    reflector = bench.start()

    assert bench.server.watches[0].version == "50"
    reflector.stop()


@pytest.mark.parametrize(("code", "reason"), [(410, "Expired"), (410, "Gone"), (410, "")])
def test_an_expired_watch_is_followed_by_a_consistent_list_in_pages(code: int, reason: str) -> None:
    bench = Bench()
    bench.server.will(listed(7), refused(code, reason), listed(9))

    reflector = bench.start()
    bench.time.advance(1)

    assert bench.server.lists[1].query == {"limit": "500"}
    assert bench.server.watches[-1].version == "9"
    reflector.stop()


@pytest.mark.parametrize("code", [401, 403, 500, 502, 504, 429])
def test_an_error_that_says_nothing_about_the_version_keeps_it(code: int) -> None:
    bench = Bench()
    bench.server.will(listed(7), refused(code))

    reflector = bench.start()
    bench.time.advance(5)

    assert [watch.version for watch in bench.server.watches] == ["7", "7"]
    assert len(bench.server.lists) == 1
    reflector.stop()


@pytest.mark.parametrize("code", [400, 404, 405, 422])
def test_a_watch_that_the_server_finds_wrong_is_not_asked_for_again(code: int) -> None:
    bench = Bench()
    bench.server.will(listed(7), refused(code), listed(9))

    reflector = bench.start()
    bench.time.advance(5)

    assert [watch.version for watch in bench.server.watches] == ["7", "9"]
    assert bench.server.lists[1].version == "7"
    reflector.stop()


def test_initial_events_move_no_version_until_the_server_says_that_they_are_complete() -> None:
    bench = Bench()
    initial = [line("ADDED", obj("b", 12)), line("ADDED", obj("a", 5))]
    bench.server.will(Watch(initial, 2.0, RESET), Watch([*initial, bookmark(30, ends_initial=True)], 2.0))

    reflector = bench.start(WATCH_LIST)
    bench.time.advance(10)

    first, second, resumed = bench.server.watches
    assert [first.version, second.version] == ["", ""]
    assert second.query["sendInitialEvents"] == "true"
    assert "sendInitialEvents" not in resumed.query
    assert resumed.version == "30"
    assert bench.sink.content == {"a": 5, "b": 12}
    reflector.stop()


def test_a_watch_list_that_ends_early_is_a_failure() -> None:
    bench = Bench()
    bench.server.will(Watch([line("ADDED", obj("a", 5))], 0.0))

    reflector = bench.start(WATCH_LIST)
    bench.time.advance(0.1)

    assert "before the initial state was complete" in str(reflector.last_error)
    assert bench.sink.replacements == 0
    reflector.stop()


def test_an_error_event_in_a_running_watch_list_does_not_mean_that_watch_lists_are_refused() -> None:
    bench = Bench()
    bad = line("ERROR", status(400, "BadRequest"))
    bench.server.will(Watch([bookmark(7, ends_initial=True), bad]), Watch([bookmark(9, ends_initial=True)]))

    reflector = bench.start(WATCH_LIST)
    bench.time.advance(2)

    assert bench.failures == ["BadRequest"]
    assert all("sendInitialEvents" in watch.query for watch in bench.server.watches)
    assert bench.server.lists == []
    reflector.stop()


def test_a_restarted_reflector_does_not_go_behind_what_its_predecessor_saw() -> None:
    bench = Bench(known_version=41)

    reflector = bench.start(WATCH_LIST)

    assert bench.server.watches[0].version == "41"
    assert bench.server.watches[0].query["resourceVersionMatch"] == "NotOlderThan"
    reflector.stop()


@pytest.mark.parametrize("chunks", [[], [bookmark(7)], [b'{"type":"HELLO","object":{}}\n']])
def test_a_watch_that_ends_at_once_with_nothing_new_pauses_and_lists_at_the_second(chunks: list[bytes]) -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch(chunks, 0.0), Watch(chunks, 0.0), listed(9))

    reflector = bench.start()
    bench.time.advance(5)

    assert [(request.is_watch, request.at) for request in bench.server.requests] == [
        (False, 0.0),
        (True, 0.0),
        (True, pytest.approx(0.8)),
        (False, pytest.approx(2.4)),
        (True, pytest.approx(2.4)),
    ]
    reflector.stop()


def test_short_watches_that_bring_something_are_resumed_without_a_pause() -> None:
    bench = Bench()
    bench.server.will(listed(7), *[Watch([line("ADDED", obj("a", version))], 0.0) for version in (8, 9, 10)])

    reflector = bench.start()

    assert [(watch.version, watch.at) for watch in bench.server.watches] == [("7", 0), ("8", 0), ("9", 0), ("10", 0)]
    assert bench.failures == []
    reflector.stop()


def test_a_watch_that_breaks_after_it_brought_something_or_lasted_is_resumed_without_a_pause() -> None:
    bench = Bench()
    fruitful = [Watch([line("ADDED", obj("a", version))], 0.0, RESET) for version in (8, 9)]
    bench.server.will(listed(7), *fruitful, *[Watch([], 60.0, RESET)] * 9)

    reflector = bench.start()
    bench.time.advance(540)

    assert [watch.at for watch in bench.server.watches] == [0, 0, *range(0, 541, 60)]
    assert bench.server.watches[-1].version == "9"
    assert bench.failures == ["TransportError"] * 11
    assert reflector.last_error is None
    reflector.stop()


def test_a_watch_that_breaks_at_once_with_nothing_new_pauses_and_lists_at_the_second() -> None:
    bench = Bench()
    bench.server.will(listed(7), *[Watch([b"poison\n"])] * 2, listed(9))

    reflector = bench.start()
    problem = str(reflector.last_error)
    bench.time.advance(5)

    assert problem.startswith("unreadable watch event")
    assert [(request.is_watch, request.at) for request in bench.server.requests] == [
        (False, 0.0),
        (True, 0.0),
        (True, pytest.approx(0.8)),
        (False, pytest.approx(2.4)),
        (True, pytest.approx(2.4)),
    ]
    reflector.stop()


def test_a_watch_of_a_second_and_more_may_end_with_nothing() -> None:
    bench = Bench()
    bench.server.will(listed(7), *[Watch([], 1.0)] * 5)

    reflector = bench.start()
    bench.time.advance(10)

    assert [watch.version for watch in bench.server.watches] == ["7"] * 6
    assert bench.failures == []
    reflector.stop()


def test_silence_is_no_failure_because_a_resource_to_which_nothing_happens_is_silent_too() -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch([], 70.0, SILENCE))

    reflector = bench.start()
    bench.time.advance(70)

    assert [(watch.version, watch.at) for watch in bench.server.watches] == [("7", 0.0), ("7", 70.0)]
    assert bench.failures == []
    assert reflector.last_error is None
    assert reflector.state is ReflectorState.WATCHING
    reflector.stop()


def test_silence_after_the_initial_state_of_a_watch_list_is_resumed_too() -> None:
    bench = Bench()
    bench.server.will(Watch([bookmark(7, ends_initial=True)], 70.0, SILENCE))

    reflector = bench.start(WATCH_LIST)
    bench.time.advance(70)

    assert [watch.version for watch in bench.server.watches] == ["", "7"]
    assert bench.failures == []
    reflector.stop()


def test_silence_in_the_middle_of_the_initial_state_is_a_failure() -> None:
    bench = Bench()
    bench.server.will(Watch([line("ADDED", obj("a", 5))], 70.0, SILENCE))

    reflector = bench.start(WATCH_LIST)
    bench.time.advance(70.1)

    assert bench.failures == ["TimedOut"]
    reflector.stop()


def test_small_pieces_of_the_initial_state_are_gathered_and_those_of_a_running_watch_are_not() -> None:
    bench = Bench()
    initial = [line("ADDED", obj("a", 5)), line("ADDED", obj("b", 6)), bookmark(7, ends_initial=True)]
    bench.server.will(Watch([*initial, line("ADDED", obj("c", 8)), line("ADDED", obj("d", 9))]))

    reflector = bench.start(WATCH_LIST)
    bench.time.wait_until_idle()
    replaced_at_once = bench.sink.replacements
    bench.time.advance(0.002)

    assert replaced_at_once == 0
    assert bench.sink.replacements == 1
    assert bench.sink.versions == [7, 8, 9]
    reflector.stop()


def test_after_two_silent_watches_the_server_is_asked_whether_it_knows_the_version() -> None:
    bench = Bench()
    bench.server.will(listed(7), *[Watch([], 70.0, SILENCE)] * 2, listed(7, obj("a", 3)))

    reflector = bench.start()
    bench.time.advance(140)

    asked = bench.server.lists[1]
    assert asked.query == {"limit": "1", "resourceVersion": "7", "resourceVersionMatch": "NotOlderThan"}
    assert bench.sink.replacements == 1
    assert bench.server.watches[-1].version == "7"
    assert bench.failures == []
    assert reflector.last_error is None
    reflector.stop()


def test_a_server_that_has_lost_the_version_is_listed_anew() -> None:
    bench = Bench()
    lost = Answer(504, b'{"code":504,"reason":"Timeout","message":"Too large resource version: 7, current: 2"}')
    bench.server.will(listed(7), *[Watch([], 70.0, SILENCE)] * 2, lost, listed(3, obj("a", 2)))

    reflector = bench.start()
    bench.time.advance(142)

    assert bench.server.lists[-1].query == {"limit": "500"}
    assert bench.server.watches[-1].version == "3"
    assert bench.sink.content == {"a": 2}
    reflector.stop()


def test_a_bookmark_between_silences_shows_that_the_server_is_there() -> None:
    bench = Bench()
    silent = Watch([], 70.0, SILENCE)
    bench.server.will(listed(7), silent, Watch([bookmark(8)], 70.0, SILENCE), silent)

    reflector = bench.start()
    bench.time.advance(215)

    assert len(bench.server.lists) == 1
    assert [watch.version for watch in bench.server.watches] == ["7", "7", "8", "8"]
    reflector.stop()


def test_an_unreadable_event_is_read_again_from_the_last_good_version() -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch([line("ADDED", obj("a", 8)) + b'{"type":"ADDED",}\n']))

    reflector = bench.start()
    bench.time.advance(1)

    assert [watch.version for watch in bench.server.watches] == ["7", "8"]
    assert bench.failures == ["TransportError"]
    assert len(bench.server.lists) == 1
    reflector.stop()


@pytest.mark.parametrize("body", [b"<html>", b'{"metadata":{}}', b'{"metadata":{"resourceVersion":"7"},"items":[{}]}'])
def test_an_unreadable_list_is_a_visible_failure_and_is_asked_for_again(body: bytes) -> None:
    bench = Bench()
    bench.server.will(Answer(200, body), listed(9))

    reflector = bench.start()
    problem = str(reflector.last_error)
    bench.time.advance(1)

    assert problem.startswith(("unreadable list", "a list without a version"))
    assert bench.failures == ["TransportError"]
    assert bench.sink.versions == [9]
    reflector.stop()


def test_a_bug_behind_the_sink_does_not_end_the_watch(logs: list[EventDict]) -> None:
    bench = Bench()
    bench.server.will(listed(7), listed(8, obj("a", 8)))
    bench.sink.replace_failures = [KeyError("bug")]

    reflector = bench.start()
    problem = str(reflector.last_error)
    bench.time.advance(1)

    assert problem == "KeyError: 'bug'"
    assert [entry["event"] for entry in logs][:2] == ["reflector_bug", "reflector_failed"]
    assert reflector.state is ReflectorState.WATCHING
    assert bench.sink.content == {"a": 8}
    reflector.stop()


def test_events_that_the_sink_did_not_take_are_not_skipped() -> None:
    bench = Bench()
    bench.server.will(listed(7), Watch([line("ADDED", obj("a", 8))]), listed(8, obj("a", 8)))
    bench.sink.apply_failures = [KeyError("bug")]

    reflector = bench.start()
    bench.time.advance(1)

    assert bench.server.lists[1].version == "7"
    assert bench.sink.content == {"a": 8}
    reflector.stop()


def test_an_unknown_event_is_counted_and_passed_over() -> None:
    bench = Bench()
    unknown = b'{"type":"HELLO","object":{"x":1}}\n'
    bench.server.will(listed(7), Watch([unknown + line("ADDED", obj("a", 8))]))

    reflector = bench.start()

    assert bench.failures == ["UnknownEventType"]
    assert bench.sink.content == {"a": 8}
    assert len(bench.server.watches) == 1
    reflector.stop()


def test_a_problem_is_visible_until_the_watch_is_open_again() -> None:
    bench = Bench()
    bench.server.will(listed(7), refused(500, "InternalError"), refused(500, "InternalError"))

    reflector = bench.start()
    problems = [str(reflector.last_error)]
    bench.time.advance(0.9)
    problems.append(str(reflector.last_error))
    bench.time.advance(2)

    assert problems == ["500 InternalError"] * 2
    assert reflector.last_error is None
    reflector.stop()


def test_stop_ends_a_watch_and_a_pause_at_once() -> None:
    watching, waiting = Bench(), Bench()
    watching.server.will(listed(7))
    waiting.server.will(refused(403))
    reflectors = [watching.start(), waiting.start()]

    for bench, reflector in zip((watching, waiting), reflectors, strict=True):
        reflector.stop()
        bench.time.wait_until_idle()

    assert [reflector.state for reflector in reflectors] == [ReflectorState.STOPPED] * 2
    assert watching.failures == []
