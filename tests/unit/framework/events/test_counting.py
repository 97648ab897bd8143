"""v1: every time is written, similar events are combined, and who speaks too much is filtered."""

from typing import Any

from framework.testing.virtual_time import VirtualTime


def test_each_repetition_is_written(time: VirtualTime, server: Any, core_speaker: Any) -> None:
    for _ in range(5):
        core_speaker.say()
        time.advance(10)

    (event,) = server.events.values()
    assert event["api"] == "v1"
    assert (event["count"], event["firstTimestamp"], event["lastTimestamp"]) == (
        5,
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:40Z",
    )
    assert server.writes == ["create"] + ["patch"] * 4


def test_a_repetition_while_another_is_under_way_is_written(time: VirtualTime, server: Any, core_speaker: Any) -> None:
    for _ in range(2):
        core_speaker.say()
        time.wait_until_idle()
    server.gate.clear()
    core_speaker.say()
    time.wait_until_idle()

    core_speaker.say()
    server.gate.set()
    time.wait_until_idle()

    assert server.counts == [4]


def test_the_tenth_similar_event_in_ten_minutes_is_combined_with_all_further_ones(
    time: VirtualTime, server: Any, core_speaker: Any
) -> None:
    for number in range(15):
        core_speaker.say(f"note {number}")
        time.advance(30)

    assert len(server.events) == 10
    assert server.notes[-1] == "(combined from similar events): note 14"
    assert server.counts == [1] * 9 + [6]


def test_a_note_that_was_shown_on_its_own_is_still_counted_on_its_own(
    time: VirtualTime, server: Any, core_speaker: Any
) -> None:
    for number in [*range(12), 0]:
        core_speaker.say(f"note {number}")
        time.wait_until_idle()

    assert server.counts == [2] + [1] * 8 + [3]


def test_similar_events_are_shown_apart_again_after_ten_silent_minutes(
    time: VirtualTime, server: Any, core_speaker: Any
) -> None:
    for number in range(9):
        core_speaker.say(f"note {number}")
    time.advance(601)
    core_speaker.say("note 9")
    time.wait_until_idle()

    assert server.notes[-1] == "note 9"


def test_after_25_writes_about_an_object_there_is_one_in_five_minutes(
    time: VirtualTime, server: Any, core_speaker: Any
) -> None:
    for _ in range(100):
        core_speaker.say()
        time.wait_until_idle()
    assert len(server.writes) == 25
    assert core_speaker.metric("dropped", "spam") == 75

    time.advance(300)
    for _ in range(2):
        core_speaker.say()
        time.wait_until_idle()

    assert len(server.writes) == 26
    assert server.counts == [101]


def test_other_objects_and_types_are_not_filtered(time: VirtualTime, server: Any, core_speaker: Any, pod: Any) -> None:
    for _ in range(30):
        core_speaker.say()
        time.wait_until_idle()

    core_speaker.say(about=pod("other"))
    core_speaker.say(kind="Warning")
    time.wait_until_idle()

    assert len(server.events) == 3


def test_the_first_event_of_a_kind_is_never_filtered(time: VirtualTime, server: Any, core_speaker: Any) -> None:
    for _ in range(30):
        core_speaker.say()
        time.wait_until_idle()

    core_speaker.say("the disk is full", reason="DiskFull")
    core_speaker.say("the disk is full", reason="DiskFull")
    time.wait_until_idle()

    assert server.notes == ["hello", "the disk is full"]


def test_an_event_that_expired_is_created_again_with_its_count(
    time: VirtualTime, server: Any, core_speaker: Any
) -> None:
    core_speaker.say()
    time.advance(3600)
    server.events.clear()

    core_speaker.say()
    time.wait_until_idle()

    assert server.counts == [2]
    assert server.writes == ["create", "patch", "create"]


def test_a_stop_does_not_write_what_was_filtered(time: VirtualTime, server: Any, core_speaker: Any) -> None:
    for _ in range(30):
        core_speaker.say()
        time.wait_until_idle()

    core_speaker.recorder.stop()

    assert len(server.writes) == 25


def test_memory_is_bounded(time: VirtualTime, server: Any, new_speaker: Any, pod: Any) -> None:
    speaker = new_speaker(api_version="v1", memory_size=10)
    speaker.recorder.start()
    for number in range(50):
        speaker.say(about=pod(str(number)))
        time.wait_until_idle()

    correlator = speaker.recorder._outbox._correlator
    assert len(correlator.memory._series) == len(correlator._spam_filter._buckets) == 10
