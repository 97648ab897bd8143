from datetime import UTC, datetime, timedelta

from framework.clock import SystemClock


def test_now_is_the_wall_clock_in_utc() -> None:
    before = datetime.now(UTC)  # noqa: TID251 - what the seam stands for

    now = SystemClock().now()

    assert now.tzinfo is UTC
    assert timedelta(0) <= now - before < timedelta(minutes=1)


def test_waiting_lets_that_much_time_pass() -> None:
    clock = SystemClock()
    started = clock.monotonic()

    clock.wait(0.01)

    assert clock.monotonic() - started >= 0.01
