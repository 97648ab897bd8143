"""events.k8s.io/v1: what is said again is a series of one event."""

from typing import Any

from framework.testing.virtual_time import VirtualTime


def test_the_first_event_of_a_fresh_process_is_sent(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.say("hello")
    time.wait_until_idle()

    assert server.notes == ["hello"]
    assert server.writes == ["create"]


def test_what_was_said_before_the_start_is_sent_after_it(time: VirtualTime, server: Any, new_speaker: Any) -> None:
    speaker = new_speaker()
    speaker.say("early")

    speaker.recorder.start()
    time.wait_until_idle()

    assert server.notes == ["early"]


def test_the_second_time_makes_a_series_at_once(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.say()
    time.advance(10)
    speaker.say()
    time.wait_until_idle()

    (event,) = server.events.values()
    assert event["series"] == {"count": 2, "lastObservedTime": "2026-01-01T00:00:10.000000Z"}
    assert server.writes == ["create", "patch"]


def test_further_times_are_counted_and_not_written(time: VirtualTime, server: Any, speaker: Any) -> None:
    for _ in range(100):
        speaker.say()
        time.advance(1)

    assert server.writes == ["create", "patch"]


def test_a_series_is_over_after_six_silent_minutes_and_its_last_count_is_written(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    for _ in range(5):
        speaker.say()
        time.advance(60)

    time.advance(299)
    assert server.counts == [2]
    time.advance(1)

    assert server.counts == [5]
    assert server.writes == ["create", "patch", "patch"]


def test_a_series_that_goes_on_is_written_every_thirty_minutes(time: VirtualTime, server: Any, speaker: Any) -> None:
    for _ in range(62):
        speaker.say()
        time.advance(60)

    assert server.writes == ["create", "patch", "patch", "patch"]
    assert server.counts == [61]


def test_a_series_that_is_over_makes_no_write_when_its_count_is_known(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    speaker.say()
    speaker.say()
    time.advance(7200)

    assert server.counts == [2]
    assert "create" not in server.writes[1:]
    assert len(server.writes) <= 2


def test_the_same_said_within_six_minutes_is_the_same_event(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.say()
    time.advance(359)
    speaker.say()
    time.wait_until_idle()

    assert server.counts == [2]


def test_the_same_said_after_six_minutes_is_a_new_event(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.say()
    time.advance(360)
    speaker.say()
    time.wait_until_idle()

    assert server.counts == [1, 1]


def test_a_series_ends_in_time_while_the_server_hangs(time: VirtualTime, server: Any, speaker: Any) -> None:
    speaker.say("hello")
    time.wait_until_idle()
    server.gate.clear()
    speaker.say("other")
    time.advance(400)

    speaker.say("hello")
    server.gate.set()
    time.wait_until_idle()

    assert server.notes == ["hello", "other", "hello"]


def test_what_is_said_while_the_first_is_under_way_is_counted(time: VirtualTime, server: Any, speaker: Any) -> None:
    server.gate.clear()
    speaker.say()
    time.wait_until_idle()
    speaker.say()
    speaker.say()
    server.gate.set()
    time.wait_until_idle()

    assert server.counts == [3]
    assert server.writes == ["create", "patch"]


def test_what_is_said_before_the_first_is_sent_is_in_its_count(
    time: VirtualTime, server: Any, new_speaker: Any
) -> None:
    speaker = new_speaker()
    for _ in range(3):
        speaker.say()

    speaker.recorder.start()
    time.wait_until_idle()

    assert server.writes == ["create"]
    assert server.counts == [3]


def test_another_object_reason_type_action_related_or_note_is_another_event(
    time: VirtualTime, server: Any, speaker: Any, pod: Any
) -> None:
    speaker.say()
    speaker.say("goodbye")
    speaker.say(reason="Stopped")
    speaker.say(kind="Warning")
    speaker.say(action="Stop")
    speaker.say(related=pod("other"))
    speaker.say(about=pod("web", uid="2"))
    time.wait_until_idle()

    assert server.counts == [1] * 7


def test_an_object_that_changed_in_between_is_the_same_object(
    time: VirtualTime, server: Any, speaker: Any, pod: Any
) -> None:
    speaker.say(about=pod(resource_version="5"))
    time.wait_until_idle()
    speaker.say(about=pod(resource_version="6"))
    time.wait_until_idle()

    assert server.counts == [2]


def test_the_tenth_note_about_the_same_is_combined_with_all_further_ones(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    for number in range(100):
        speaker.say(f"note {number}")
        time.wait_until_idle()
    speaker.recorder.stop()

    assert len(server.events) == 10
    assert server.notes[-1] == "(combined from similar events): note 9"
    assert server.counts[-1] == 91


def test_notes_can_be_told_not_to_tell_events_apart(time: VirtualTime, server: Any, new_speaker: Any) -> None:
    speaker = new_speaker(similar_notes=0)
    speaker.recorder.start()
    for number in range(5):
        speaker.say(f"note {number}")
        time.wait_until_idle()
    speaker.recorder.stop()

    assert server.notes == ["note 0"]
    assert server.counts == [5]


def test_a_series_that_must_be_forgotten_for_want_of_memory_has_its_count_written(
    time: VirtualTime, server: Any, new_speaker: Any, pod: Any
) -> None:
    speaker = new_speaker(memory_size=2)
    speaker.recorder.start()
    for _ in range(4):
        speaker.say()
        time.wait_until_idle()

    speaker.say(about=pod("a"))
    speaker.say(about=pod("b"))
    time.wait_until_idle()

    assert sorted(server.counts) == [1, 1, 4]


def test_an_event_that_was_deleted_is_created_again_with_its_count(
    time: VirtualTime, server: Any, speaker: Any
) -> None:
    speaker.say()
    time.wait_until_idle()
    server.events.clear()

    speaker.say()
    time.wait_until_idle()

    assert server.writes == ["create", "patch", "create"]
    assert server.counts == [2]


def test_a_stop_writes_the_counts_of_all_series(time: VirtualTime, server: Any, speaker: Any) -> None:
    for _ in range(7):
        speaker.say()
        time.wait_until_idle()

    speaker.recorder.stop()

    assert server.counts == [7]
    assert time.blocked() == frozenset()


def test_memory_is_bounded(time: VirtualTime, server: Any, speaker: Any, pod: Any) -> None:
    for number in range(5000):
        speaker.say(about=pod(str(number)))
        if number % 500 == 0:
            time.wait_until_idle()
    time.wait_until_idle()

    memory = speaker.recorder._outbox._memory
    assert len(memory._series) == 4096
    assert len(memory._live) == 4096
    assert len(memory._similar._by_topic) == 4096


def test_all_is_forgotten_when_nothing_is_said(time: VirtualTime, speaker: Any, pod: Any) -> None:
    for number in range(50):
        speaker.say(about=pod(str(number)))
        speaker.say(about=pod(str(number)))
    time.advance(361)

    memory = speaker.recorder._outbox._memory
    assert len(memory._series) == 0
    assert len(memory._live) == 0
    assert len(speaker.recorder._outbox._correlator._refreshes) == 0
