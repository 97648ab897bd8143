from framework.clock import SystemClock
from framework.testing.replay.fast_time import FastClock, FastRuntime, clock_from_now_on

SPEED = 1000.0


def test_a_fast_clock_is_right_when_it_is_made() -> None:
    real = SystemClock()

    ahead = (clock_from_now_on(SPEED).now() - real.now()).total_seconds()

    # It runs ahead from then on; this much is a tenth of a second of real time.
    assert 0 <= ahead < 100


def test_two_processes_with_the_same_epoch_agree() -> None:
    one = clock_from_now_on(SPEED)
    other = FastClock(SPEED, one.epoch)

    before, between, after = one.now(), other.now(), one.now()

    assert before <= between <= after


def test_a_wait_passes_in_fast_seconds() -> None:
    clock = clock_from_now_on(SPEED)
    begun = clock.monotonic()

    clock.wait(50.0)

    assert clock.monotonic() - begun >= 50.0


def test_time_outs_of_events_conditions_and_joins_are_in_fast_seconds() -> None:
    runtime, real = FastRuntime(SPEED), SystemClock()
    event, condition = runtime.event(), runtime.condition()

    def wait() -> None:
        event.wait()

    task = runtime.spawn("waits", wait)
    begun = real.monotonic()

    assert not event.wait(60.0)
    with condition:
        assert not condition.wait(60.0)
    task.join(60.0)

    assert task.is_alive()
    assert real.monotonic() - begun < 60.0
    event.set()
    task.join()
    assert not task.is_alive()


def test_who_is_notified_waits_no_longer() -> None:
    runtime = FastRuntime(1.0)
    condition = runtime.condition()
    woken = []

    def wait() -> None:
        with condition:
            woken.append(condition.wait())

    task = runtime.spawn("waits", wait)
    while task.is_alive():
        with condition:
            condition.notify_all()

    assert woken == [True]
