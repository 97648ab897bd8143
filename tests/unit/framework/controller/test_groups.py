"""A group that holds on to its workers, and all others."""

import pytest
from prometheus_client import CollectorRegistry

from apis.meta import Key, Request
from framework.controller import Controller, ControllerMetrics, ControllerOptions
from framework.errors import ConfigurationError
from framework.randomness import system_random
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime


class Hanging:
    """Never comes back from the cluster `dead`."""

    def __init__(self, time: VirtualTime) -> None:
        self._release = time.runtime.event()
        self.inside = 0
        self.done: list[str] = []

    def reconcile(self, request: Request) -> Result:
        if request.cluster == "dead":
            self.inside += 1
            self._release.wait()
        self.done.append(str(request))
        return Result.await_change()

    def release(self) -> None:
        self._release.set()


def test_a_hanging_group_holds_no_more_workers_than_it_may_and_all_others_are_served() -> None:
    time = VirtualTime()
    reconciler = Hanging(time)
    options = ControllerOptions(
        max_concurrent_reconciles=4, group_of=lambda request: request.cluster, max_concurrent_per_group=2
    )
    controller = Controller(
        "widgets",
        reconciler,
        (),
        clock=time.clock,
        runtime=time.runtime,
        random=system_random(),
        options=options,
        metrics=ControllerMetrics(CollectorRegistry()),
    )
    for number in range(50):
        controller.enqueue(Request(Key("default", f"w{number}"), "dead"))
    for number in range(50):
        controller.enqueue(Request(Key("default", f"w{number}"), f"good-{number % 3}"))
    controller.watch()
    controller.start()

    time.wait_until_idle()

    assert (reconciler.inside, len(reconciler.done)) == (2, 50)
    reconciler.release()
    time.wait_until_idle()
    assert len(reconciler.done) == 100
    controller.request_stop()


@pytest.mark.parametrize("limit", [0, 1])
def test_a_limit_without_groups_or_of_nobody_is_refused(limit: int) -> None:
    with pytest.raises(ConfigurationError, match=f"max_concurrent_per_group={limit} needs group_of"):
        ControllerOptions(max_concurrent_per_group=limit)
