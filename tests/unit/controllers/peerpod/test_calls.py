"""A call that does not end is given up, and not many such can be under way."""

import pytest

from controllers.peerpod.calls import GRACE_SECONDS, MOST_CALLS, Abandoned, Calls
from controllers.peerpod.provider import Transient
from framework.runtime import Event
from framework.testing.virtual_time import VirtualTime


def give_up(time: VirtualTime, calls: Calls, forever: Event) -> list[Exception]:
    errors: list[Exception] = []

    def attempt() -> None:
        try:
            calls.run(forever.wait, 40.0)
        except Transient as error:
            errors.append(error)

    time.runtime.spawn("attempt", attempt)
    time.advance(40.0 + GRACE_SECONDS + 0.1)
    time.wait_until_idle()
    return errors


def test_what_a_call_returns_is_returned() -> None:
    assert Calls(VirtualTime().runtime).run(lambda: 42, 1.0) == 42


def test_a_call_that_hangs_is_abandoned_five_seconds_after_its_time() -> None:
    time = VirtualTime()

    errors = give_up(time, Calls(time.runtime), time.runtime.event())

    assert [type(error) for error in errors] == [Abandoned]


def test_calls_that_hang_are_not_started_without_end() -> None:
    time = VirtualTime()
    calls, forever = Calls(time.runtime), time.runtime.event()
    for _ in range(MOST_CALLS):
        give_up(time, calls, forever)

    with pytest.raises(Transient, match="none of which ends"):
        calls.run(lambda: 42, 1.0)

    forever.set()
    time.wait_until_idle()
    assert calls.run(lambda: 42, 1.0) == 42
