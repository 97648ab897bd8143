"""Workers that compete wait for each other, a little; one that is alone does not."""

import pytest

from apis.meta import Key
from controllers.requeststate.contention import Contention
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import KEY, OLD, FakeServer, a_request
from tests.unit.controllers.requeststate.harness import Worker

KEYS = [Key("default", f"request-{number}") for number in range(50)]


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


def a_competitor(time: VirtualTime, name: str, write_seconds: float = 0.01) -> Contention:
    contention = Contention(time.clock, name)
    for _ in range(50):
        contention.wrote(write_seconds)
    contention.lost()
    return contention


def test_a_worker_that_is_alone_waits_for_nobody(time: VirtualTime) -> None:
    contention = Contention(time.clock, "me")
    contention.wrote(0.01)

    assert {contention.seconds_left(key) for key in KEYS} == {0.0}


def test_after_a_lost_race_claims_are_spread_over_a_few_writes(time: VirtualTime) -> None:
    pauses = [a_competitor(time, "me").seconds_left(key) for key in KEYS]

    assert 0.0 <= min(pauses) < 0.01
    assert 0.07 < max(pauses) <= 0.08


def test_each_worker_has_an_order_of_its_own(time: VirtualTime) -> None:
    orders = [sorted(KEYS, key=a_competitor(time, name).seconds_left) for name in ("one", "two", "three")]

    assert len({tuple(order) for order in orders}) == 3


def test_a_pause_is_counted_from_the_first_look(time: VirtualTime) -> None:
    contention = a_competitor(time, "me")
    before = contention.seconds_left(KEYS[0])

    time.advance(before)

    assert before > 0.0
    assert contention.seconds_left(KEYS[0]) == pytest.approx(0.0, abs=1e-9)


def test_no_pause_is_longer_than_two_seconds_however_slow_the_server_is(time: VirtualTime) -> None:
    contention = a_competitor(time, "me", write_seconds=60.0)

    assert max(contention.seconds_left(key) for key in KEYS) <= 2.0


def test_a_race_lost_long_ago_is_forgotten(time: VirtualTime) -> None:
    contention = a_competitor(time, "me")

    time.advance(10.0)

    assert {contention.seconds_left(key) for key in KEYS} == {0.0}


def test_a_worker_that_lost_a_race_lets_the_next_request_wait_and_then_takes_it(time: VirtualTime) -> None:
    server = FakeServer(a_request())
    worker, current = Worker(server, time), server.request
    server.edit_status(claim={"worker": "another", "acquireTime": OLD, "renewTime": OLD})
    real, server.get = server.get, lambda *_: current  # type: ignore[method-assign] # a cache that is behind
    worker.reconcile()
    server.get = real  # type: ignore[method-assign] # up to date again
    worker.contention.wrote(1.0)
    server.objects = FakeServer(a_request()).objects

    pause = worker.reconcile()
    time.advance(pause.requeue_after_seconds or 0.0)

    assert (pause.requeue_after_seconds or 0.0) > 0.0
    assert worker.reconcile() == Result.await_change()
    assert server.get(KEY).spec.state == "COMPLETED"
