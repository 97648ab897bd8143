"""The delay between attempts is for the user to choose."""

import pytest
from prometheus_client import CollectorRegistry

from apis.meta import Key, Request
from framework.controller import Controller, ControllerMetrics, ControllerOptions
from framework.randomness import system_random
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime
from framework.workqueue import ExponentialPerItem


class Failing:
    """Notes the time of every attempt."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self.at: list[float] = []

    def reconcile(self, _request: Request) -> Result:
        self.at.append(self._time.clock.monotonic())
        raise ConnectionError("not yet")


def test_a_controller_waits_as_long_as_the_limiter_it_was_given_says() -> None:
    time = VirtualTime()
    reconciler = Failing(time)
    controller = Controller(
        "widgets",
        reconciler,
        (),
        clock=time.clock,
        runtime=time.runtime,
        random=system_random(),
        options=ControllerOptions(rate_limiter=ExponentialPerItem(base_seconds=3.0, max_seconds=5.0)),
        metrics=ControllerMetrics(CollectorRegistry()),
    )
    controller.watch()
    controller.start()
    controller.enqueue(Request(Key("default", "a")))

    time.advance(20)

    controller.stop()
    assert reconciler.at == pytest.approx([0, 3, 8, 13, 18])
