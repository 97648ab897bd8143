"""Recording never blocks, never raises, and never loses the first event of a kind without a word."""

from itertools import repeat
from typing import Any

import pytest
from structlog.testing import capture_logs

from apis.meta import ObjectMeta, PartialObject
from framework.errors import (
    Conflict,
    ConnectError,
    Forbidden,
    Invalid,
    NotFound,
    ServerError,
    Status,
    StatusCause,
    StatusDetails,
    TimedOut,
    TooManyRequests,
    Unauthorized,
)
from framework.testing.virtual_time import VirtualTime

TERMINATING = Forbidden(
    Status(403, "Forbidden", "terminating", StatusDetails(causes=[StatusCause("NamespaceTerminating")]))
)
NO_NAMESPACE = NotFound(Status(404, "NotFound", 'namespaces "shop" not found', StatusDetails(kind="namespaces")))
NO_RIGHTS = Forbidden(Status(403, "Forbidden", "no rights"))
PASSING = [
    ConnectError("refused"),
    TimedOut("slow"),
    ServerError(Status(500, "InternalError")),
    ServerError(Status(503, "ServiceUnavailable")),
    TooManyRequests(Status(429, "TooManyRequests")),
    Conflict(Status(409, "Conflict")),
    Unauthorized(Status(401, "Unauthorized")),
    ValueError("unreadable answer"),
]


def reasons_told(logs: Any) -> list[str]:
    return [line["why"] for line in logs if line["log_level"] == "warning"]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_an_event_is_sent_again_after_an_error_that_may_pass(
    time: VirtualTime, server: Any, speaker: Any, error: Exception
) -> None:
    server.failures = iter([error, error, error])
    speaker.say()
    time.advance(60)

    assert server.notes == ["hello"]
    assert server.writes == ["create"] * 4
    assert speaker.metric("created") == 1


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_a_count_is_sent_again_after_an_error_that_may_pass(
    time: VirtualTime, server: Any, speaker: Any, error: Exception
) -> None:
    server.failures = iter([None, error, error])
    speaker.say()
    time.wait_until_idle()
    speaker.say()
    time.advance(60)

    assert server.counts == [2]
    assert speaker.metric("patched") == 1


def test_the_waits_between_attempts_grow(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.failures = repeat(TimedOut("slow"))
    speaker.say()

    time.advance(0.9)
    assert len(server.writes) == 1
    time.advance(0.6)
    assert len(server.writes) == 2
    time.advance(1.4)
    assert len(server.writes) == 2


def test_a_server_that_names_a_time_is_not_asked_earlier(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.failures = iter([TooManyRequests(Status(429, "TooManyRequests"), retry_after_seconds=20)])
    speaker.say()

    time.advance(19.9)
    assert len(server.writes) == 1
    time.advance(6)
    assert server.notes == ["hello"]


def test_one_event_that_waits_for_its_next_attempt_holds_up_no_other(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    server.failures = iter([TimedOut("slow")])
    speaker.say("first")
    time.wait_until_idle()

    speaker.say("second")
    time.wait_until_idle()

    assert server.notes == ["second"]


def test_an_event_whose_answer_was_lost_is_not_created_twice(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.lost_answers = iter([TimedOut("the answer was lost")])
    speaker.say()
    time.advance(10)

    assert server.notes == ["hello"]
    assert server.writes == ["create", "create"]


def test_a_repetition_after_a_lost_answer_is_counted(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.lost_answers = iter([TimedOut("the answer was lost")])
    speaker.say()
    time.wait_until_idle()
    speaker.say()
    time.advance(10)

    assert server.counts == [2]


def test_an_event_whose_name_is_taken_gets_another(time: VirtualTime, server: Any, new_speaker: Any) -> None:
    speaker = new_speaker()
    speaker.say()
    pending = speaker.recorder._outbox._pending
    (name,) = pending._firsts
    server.events[name] = {"note": "of somebody else"}

    speaker.recorder.start()
    time.advance(10)

    assert server.notes == ["of somebody else", "hello"]


def test_a_first_event_is_given_up_after_twelve_attempts_with_a_log_line_and_a_number(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    server.failures = repeat(TimedOut("slow"))
    with capture_logs() as logs:
        speaker.say()
        time.advance(3600)

    assert len(server.writes) == 12
    assert reasons_told(logs) == ["retry_limit"]
    assert speaker.metric("failed", "retry_limit") == speaker.metric("lost", "retry_limit") == 1


def test_what_was_given_up_is_a_first_event_when_it_is_said_again(
    time: VirtualTime, server: Any, new_speaker: Any
) -> None:
    speaker = new_speaker(finish_seconds=3600)
    speaker.recorder.start()
    server.failures = repeat(TimedOut("slow"), 12)
    speaker.say()
    time.advance(1000)

    speaker.say()
    time.wait_until_idle()

    assert server.counts == [1]


@pytest.mark.parametrize(
    ("error", "reason"), [(TERMINATING, "namespace_terminating"), (NO_NAMESPACE, "namespace_not_found")]
)
def test_events_of_a_namespace_that_goes_away_are_given_up_quietly(
    time: VirtualTime, server: Any, speaker: Any, error: Exception, reason: str
) -> None:
    server.failures = iter([error])
    with capture_logs() as logs:
        speaker.say()
        time.advance(3600)

    assert server.writes == ["create"]
    assert reasons_told(logs) == []
    assert speaker.metric("failed", reason) == 1
    assert speaker.metric("lost", reason) == 0


@pytest.mark.parametrize("error", [NO_RIGHTS, Invalid(Status(422, "Invalid")), NotFound(Status(404, "NotFound"))])
def test_an_event_that_the_server_refuses_is_told_and_not_sent_again(
    time: VirtualTime, server: Any, speaker: Any, error: Exception
) -> None:
    server.failures = iter([error])
    with capture_logs() as logs:
        speaker.say()
        time.advance(3600)

    assert server.writes == ["create"]
    assert reasons_told(logs) == ["rejected"]
    assert speaker.metric("lost", "rejected") == 1


def test_a_server_that_refuses_is_asked_once_a_minute_however_often_it_is_said(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    server.failures = repeat(NO_RIGHTS)
    for _ in range(299):
        speaker.say()
        time.advance(1)

    assert len(server.writes) == 5


def test_what_was_refused_is_sent_with_its_count_when_it_is_said_again(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    server.failures = iter([NO_RIGHTS])
    speaker.say()
    time.wait_until_idle()

    speaker.say()
    time.advance(60)

    assert server.counts == [2]


def test_an_object_about_which_no_event_can_be_made_fails_no_reconcile(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    speaker.say(about=PartialObject(metadata=ObjectMeta(name="a")))
    speaker.say(reason="")
    speaker.say(action="")
    speaker.say(kind="Error")
    time.wait_until_idle()

    assert server.events == {}
    assert speaker.metric("dropped", "invalid") == 4


def test_recording_does_not_wait_for_a_server_that_hangs(
    time: VirtualTime, server: Any, speaker: Any, pod: Any
) -> None:
    server.gate.clear()
    with capture_logs() as logs:
        for number in range(1500):
            speaker.say(about=pod(str(number)))
    server.gate.set()
    time.wait_until_idle()

    # One with the sender, a thousand in the queue, or one more if the sender had not begun.
    assert len(server.events) in {1000, 1001}
    lost = 1500 - len(server.events)
    assert reasons_told(logs) == ["queue_full"] * lost
    assert speaker.metric("lost", "queue_full") == speaker.metric("dropped", "queue_full") == lost


def test_while_nobody_has_heard_of_a_kind_each_event_of_it_is_a_first_one(new_speaker: Any, pod: Any) -> None:
    speaker = new_speaker(queue_size=1)
    speaker.say(about=pod("takes-the-room"))

    speaker.say("one")
    speaker.say("two")

    assert speaker.metric("lost", "queue_full") == 2


def test_the_oldest_repetitions_make_room_for_first_events(
    time: VirtualTime, server: Any, new_speaker: Any, pod: Any
) -> None:
    speaker = new_speaker(queue_size=3)
    speaker.recorder.start()
    for number in range(3):
        speaker.say(about=pod(f"old-{number}"))
    time.wait_until_idle()
    server.gate.clear()
    speaker.say(about=pod("under-way"))
    time.wait_until_idle()
    for number in range(3):
        speaker.say(about=pod(f"old-{number}"))

    for number in range(2):
        speaker.say(about=pod(f"new-{number}"))
    server.gate.set()
    time.wait_until_idle()

    assert sorted(event["regarding"]["name"] for event in server.events.values()) == [
        "new-0", "new-1", "old-0", "old-1", "old-2", "under-way",
    ]  # fmt: skip
    series = [event["regarding"]["name"] for event in server.events.values() if "series" in event]
    assert series == ["old-2"]
    assert speaker.metric("dropped", "queue_full") == 2
    assert speaker.metric("lost", "queue_full") == 0


def test_a_count_that_had_no_room_is_written_when_the_series_ends(
    time: VirtualTime, server: Any, new_speaker: Any, pod: Any
) -> None:
    speaker = new_speaker(queue_size=1)
    speaker.recorder.start()
    speaker.say()
    time.wait_until_idle()
    server.gate.clear()
    speaker.say(about=pod("under-way"))
    time.wait_until_idle()
    speaker.say()
    speaker.say(about=pod("takes-the-room"))
    server.gate.set()
    time.advance(360)

    assert server.counts[0] == 2


def test_first_events_go_before_repetitions(time: VirtualTime, server: Any, new_speaker: Any) -> None:
    speaker = new_speaker()
    speaker.say("first")
    speaker.say("same kind")
    speaker.say("other kind", reason="Other")

    speaker.recorder.start()
    time.wait_until_idle()

    assert server.notes == ["first", "other kind", "same kind"]


def test_a_stop_sends_what_is_pending(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.gate.clear()
    speaker.say("first")
    speaker.say("second")
    server.gate.set()

    speaker.recorder.stop()

    assert server.notes == ["first", "second"]
    assert time.blocked() == frozenset()


def test_a_stop_tries_at_once_what_waits_for_its_next_attempt(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.failures = iter([TimedOut("slow")] * 3)
    speaker.say()
    time.wait_until_idle()

    stopping = time.runtime.spawn("stop", speaker.recorder.stop)
    time.advance(1.0)

    assert not stopping.is_alive()
    assert server.notes == ["hello"]


def test_a_stop_ends_in_time_and_tells_what_it_gave_up(time: VirtualTime, server: Any, speaker: Any, pod: Any) -> None:
    server.failures = repeat(TimedOut("slow"))
    with capture_logs() as logs:
        speaker.say()
        speaker.say(about=pod("other"))
        time.wait_until_idle()
        stopping = time.runtime.spawn("stop", lambda: speaker.recorder.stop(2.0))
        time.advance(2.0)

    assert not stopping.is_alive()
    assert reasons_told(logs) == ["shutdown", "shutdown"]
    assert speaker.metric("lost", "shutdown") == 2


def test_a_stop_ends_in_time_while_the_server_hangs(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.gate.clear()
    speaker.say()
    time.wait_until_idle()
    with capture_logs() as logs:
        stopping = time.runtime.spawn("stop", lambda: speaker.recorder.stop(2.0))
        time.advance(2.0)

    assert not stopping.is_alive()
    assert reasons_told(logs) == ["shutdown"]
    server.gate.set()
    time.wait_until_idle()
    assert time.blocked() == frozenset()


def test_a_second_stop_has_nothing_to_do(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.say()
    speaker.recorder.stop()
    writes = list(server.writes)

    speaker.recorder.stop()

    assert server.writes == writes


def test_what_is_said_after_the_stop_is_told_to_be_lost(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.recorder.stop()
    with capture_logs() as logs:
        speaker.say()

    assert reasons_told(logs) == ["stopped"]
    assert speaker.metric("lost", "stopped") == 1


def test_a_settled_recorder_makes_no_writes(time: VirtualTime, server: Any, speaker: Any) -> None:
    for _ in range(3):
        speaker.say()
    time.advance(720)
    writes = len(server.writes)

    time.advance(86400)
    speaker.recorder.stop()

    assert len(server.writes) == writes


def test_credentials_are_neither_sent_nor_logged(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.failures = iter([NO_RIGHTS])
    with capture_logs() as logs:
        speaker.say("login failed: password=hunter2hunter2")
        time.wait_until_idle()
    speaker.say("login failed: password=hunter2hunter2")
    time.advance(60)

    assert server.notes == ["login failed: password=[redacted]"]
    assert "hunter2" not in str(logs)
