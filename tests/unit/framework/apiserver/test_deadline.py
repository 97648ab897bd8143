"""How long a request may take."""

import pytest

from framework.apiserver.deadline import MOST_SECONDS, Deadline, seconds_allowed
from framework.errors import ApiError
from framework.testing.virtual_time import VirtualTime


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", MOST_SECONDS),
        ("0", MOST_SECONDS),
        ("-5s", MOST_SECONDS),
        ("1h", MOST_SECONDS),
        ("5s", 5.0),
        ("1.5s", 1.5),
        ("1m", MOST_SECONDS),
        ("2s500ms", 2.5),
        ("10us", 1e-5),
    ],
)
def test_a_client_may_allow_less_than_the_most(text: str, seconds: float) -> None:
    assert seconds_allowed(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("long", 'time: invalid duration "long"'),
        ("1", 'time: missing unit in duration "1"'),
        ("1x", 'time: unknown unit "x" in duration "1x"'),
        ("s", 'time: invalid duration "s"'),
    ],
)
def test_what_is_no_duration_is_a_bad_request(text: str, why: str) -> None:
    with pytest.raises(ApiError) as refusal:
        seconds_allowed(text)

    assert refusal.value.code == 400
    assert refusal.value.status.message == f"invalid timeout specified in the request URL - {why}"


def test_a_step_gets_what_is_left() -> None:
    time = VirtualTime()
    deadline = Deadline(time.clock, 10.0)

    time.advance(7.0)

    assert deadline.limit(20.0) == pytest.approx(3.0)
    assert deadline.limit(1.0) == 1.0
    assert not deadline.is_over


def test_when_nothing_is_left_the_request_has_timed_out() -> None:
    time = VirtualTime()
    deadline = Deadline(time.clock, 10.0)
    time.advance(10.0)

    with pytest.raises(ApiError) as refusal:
        deadline.limit(1.0)

    assert (refusal.value.code, refusal.value.reason) == (504, "Timeout")
    assert deadline.is_over
