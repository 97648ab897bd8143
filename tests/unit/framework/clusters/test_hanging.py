"""Many clusters and one that hangs, while virtual time stands still: nobody else waits for it, not for a moment."""

from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from apis.meta import Key, Request
from framework.clusters import Clusters, ClusterState
from framework.controller import ClusterChanges, Controller, ControllerMetrics, ControllerOptions
from framework.randomness import system_random
from framework.reconcile import Result

CLUSTERS, KEYS, WORKERS, SHARE = 20, 2000, 4, 2
HANGING = "c7"
Make = Callable[..., Any]


class Reconciler:
    """Learns only inside the reconcile which cluster an object is bound to, and reads there."""

    def __init__(self, clusters: Clusters) -> None:
        self._clusters = clusters
        self.done: set[int] = set()

    def reconcile(self, request: Request) -> Result:
        number = int(request.name)
        cluster = self._clusters.get(f"c{number % CLUSTERS}")
        assert cluster is not None
        cluster.client_for("instances", max_concurrent_requests=SHARE).get(ConfigMap, Key("default", "a"))
        self.done.add(number)
        return Result.await_change()


def bound_to(name: str) -> set[int]:
    return {number for number in range(KEYS) if f"c{number % CLUSTERS}" == name}


def test_all_objects_of_the_other_clusters_are_reconciled_before_any_time_passes(make: Make) -> None:
    stage = make()
    for number in range(CLUSTERS):
        stage.connect(f"c{number}")
    hanging = stage.server(f"https://{HANGING}")
    hanging.hang()
    reconciler = Reconciler(stage.clusters)
    affected = ClusterChanges(
        stage.clusters, lambda cluster: [Request(Key("", str(number))) for number in bound_to(cluster.name)]
    )
    controller = Controller(
        "instances",
        reconciler,
        [affected],
        clock=stage.time.clock,
        runtime=stage.time.runtime,
        random=system_random(),
        options=ControllerOptions(max_concurrent_reconciles=WORKERS),
        metrics=ControllerMetrics(CollectorRegistry()),
    )
    # Those of the hanging cluster first: the worst order.
    for number in sorted(range(KEYS), key=lambda number: number not in bound_to(HANGING)):
        controller.enqueue(Request(Key("", str(number))))

    controller.watch()
    controller.start()
    stage.time.wait_until_idle(limit=60)

    assert stage.time.clock.monotonic() == 0.0
    assert reconciler.done == set(range(KEYS)) - bound_to(HANGING)
    assert (hanging.waiting, hanging.most_waiting) == (SHARE, SHARE)

    # Its requests end in time, and from then on it has no worker at all: the probe alone waits for it.
    stage.time.advance(10)
    assert stage.clusters.get(HANGING).health.state is ClusterState.UNREACHABLE
    stage.time.advance(60)
    assert hanging.waiting <= 1

    hanging.recover()
    stage.time.advance(11)
    assert reconciler.done == set(range(KEYS))
    controller.request_stop()
