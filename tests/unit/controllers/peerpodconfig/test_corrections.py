"""Who fights over a number becomes slower."""

from controllers.peerpodconfig.corrections import Corrections
from framework.testing.virtual_time import VirtualTime


def test_the_eleventh_correction_within_ten_minutes_is_one_too_many_and_then_one_a_minute_is_made() -> None:
    time = VirtualTime()
    corrections = Corrections(time.clock)
    for _ in range(11):
        assert corrections.seconds_to_wait("node", 5) == 0
        corrections.written("node", 5)
    assert not corrections.is_contested("node")

    corrections.written("node", 5)

    assert corrections.is_contested("node")
    assert corrections.seconds_to_wait("node", 5) == 60
    time.advance(60)
    assert corrections.seconds_to_wait("node", 5) == 0


def test_another_number_is_no_correction_and_neither_is_what_was_long_ago() -> None:
    time = VirtualTime()
    corrections = Corrections(time.clock)
    for number in range(30):
        corrections.written("counting", number)
    for _ in range(30):
        corrections.written("slow", 5)
        time.advance(61)

    assert not corrections.is_contested("counting")
    assert not corrections.is_contested("slow")


def test_a_contested_node_gets_another_number_at_once() -> None:
    corrections = Corrections(VirtualTime().clock)
    for _ in range(20):
        corrections.written("node", 5)

    assert corrections.seconds_to_wait("node", 6) == 0
