"""Sees on the hub what has become of Clusters and Instances."""

from collections.abc import Iterable, Mapping
from typing import Self

from apis.laf.cluster import Cluster
from apis.laf.instance import Instance
from apis.meta import Key
from framework.client import Client
from framework.clock import SystemClock
from framework.conditions import is_true
from framework.informers import SharedInformer
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.store import Change
from framework.testing.control_plane.waiting import wait_until

_CREATED = "DeploymentAndServiceCreated"


class BenchError(Exception):
    """Something did not come about in time."""


class Observer:
    """One watch of Instances; each event is looked at once, and costs little beside what is measured."""

    def __init__(self, client: Client) -> None:
        self._client = client
        # By key: the newest generation that was carried out, as its controller says.
        self._carried_out: dict[Key, int] = {}
        self.cluster_of: dict[Key, str] = {}
        self._informer = SharedInformer(
            Instance, client=client, clock=SystemClock(), runtime=ThreadRuntime(), random=system_random()
        )
        self._registration = self._informer.add_handler(self)

    def __enter__(self) -> Self:
        self._informer.start()
        self._registration.wait_for_sync(60.0)
        return self

    def __exit__(self, *_: object) -> None:
        self._informer.close()

    def on_change(self, change: Change[Instance]) -> None:
        if change.new is not None and is_true(change.new.status.conditions, _CREATED):
            self.cluster_of[change.key] = change.new.status.cluster_name
            self._carried_out[change.key] = change.new.status.observed_generation

    def wait_for_clusters(self, number: int, limit_seconds: float) -> None:
        def are_ready() -> bool:
            clusters = self._client.list(Cluster)
            return sum(is_true(each.status.conditions, "Ready") for each in clusters) == number

        if not wait_until(are_ready, limit_seconds=limit_seconds):
            raise BenchError(f"not all of {number} Clusters are ready after {limit_seconds:g} s")

    def wait_for(self, generations: Mapping[Key, int], limit_seconds: float) -> None:
        """Until each of these Instances is carried out in that generation."""
        missing = set(generations)

        def are_done() -> bool:
            missing.difference_update([key for key in missing if self._carried_out.get(key, 0) >= generations[key]])
            return not missing

        if not wait_until(are_done, limit_seconds=limit_seconds):
            raise BenchError(
                f"{len(missing)} of {len(generations)} are not done after {limit_seconds:g} s: {_some(missing)}"
            )


def _some(keys: Iterable[Key]) -> str:
    return ", ".join(sorted(map(str, keys))[:5])
