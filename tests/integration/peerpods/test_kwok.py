"""Nodes that kwok plays: they tell of themselves, and run the adaptor's pods. `make peerpods-scale` has a thousand."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import Node
from apis.meta import Key, Unstructured, resource_type_of
from controllers.peerpodconfig.parallel import Parallel
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE
from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from tests.conftest import CRDS, install_definitions, kubectl_of
from tests.integration.peerpods.account import USER
from tests.integration.peerpods.site import Site, site_of
from tests.integration.peerpods.written import Written
from tests.integration.requeststate.processes import eventually

NODES = int(os.environ.get("WINDLASS_KWOK_NODES") or 60)
POOLS = ("one", "two", "three")
LIMIT_SECONDS = 120.0 + NODES

pytestmark = pytest.mark.timeout(5 * LIMIT_SECONDS)


class Crowd(msgspec.Struct, frozen=True):
    """Many nodes, and what the manager wrote, by the audit log."""

    site: Site
    written: Written

    def add(self, number: int) -> None:
        labels = {"site": self.site.name, "pool": POOLS[number % len(POOLS)], "kubernetes.io/os": "linux"}
        annotations = {"kwok.x-k8s.io/node": "fake"}
        metadata = {"name": self.name(number), "labels": labels, "annotations": annotations}
        self.site.client.create(Unstructured(content={"metadata": metadata}), kind=resource_type_of(Node))

    def name(self, number: int) -> str:
        return self.site.node_name(f"{number:04}")

    def nodes(self) -> list[Node]:
        return self.site.client.list(Node, labels=f"site={self.site.name}")

    def numbers(self, pool: str) -> list[int]:
        """Of all nodes of the pool; -1: it advertises nothing."""
        of_pool = (each for each in self.nodes() if each.metadata.labels["pool"] == pool)
        return [int(each.status.allocatable.get(EXTENDED_RESOURCE, "-1")) for each in of_pool]

    def versions(self) -> dict[str, str]:
        return {each.metadata.name: each.metadata.resource_version for each in self.nodes()}

    def is_there(self) -> bool:
        """Whether kwok has said what each node has: of one that advertises before, it says nothing more."""
        return all("pods" in each.status.allocatable for each in self.nodes())

    def runs_everywhere(self, key: Key) -> bool:
        """Not merely wherever the controller of DaemonSets has looked so far."""
        count = self.site.client.get(PeerPodConfig, key).status.selected_nodes
        is_told = self.site.message(key, "DaemonSetReady") == f"{count} of {count} pods are ready"
        return is_told and self.site.says(key, "Ready", "True", "Ready")


@pytest.fixture
def crowd(binaries: Path, tmp_path: Path) -> Iterator[Crowd]:
    written = Written(tmp_path, USER)
    with ControlPlane(
        binaries,
        tmp_path / "plane",
        controller_manager=True,
        scheduler=True,
        kwok_nodes=1,
        extra_apiserver_args=written.apiserver_args,
    ) as plane:
        kubectl = kubectl_of(plane)
        install_definitions(kubectl, CRDS)
        with site_of(plane, kubectl) as site:
            site.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
            site.start()
            made = Crowd(site, written)
            jobs: Sequence[Callable[[], None]] = [lambda number=number: made.add(number) for number in range(NODES)]  # type: ignore[misc] # mypy cannot infer a lambda with a default
            assert not any(Parallel(ThreadRuntime(), 8, "test").outcomes(jobs))
            eventually(made.is_there, "kwok plays all nodes", LIMIT_SECONDS)
            yield made


def told(what: str, seconds: float, written: Sequence[str]) -> None:
    kinds = Counter(each.rpartition(" ")[0] for each in written)
    print(f"{what} after {seconds:.1f} s, {dict(kinds)}")  # noqa: T201 - for who wants to know


def test_nodes_of_kwok_are_divided_run_the_adaptor_and_then_nothing_is_written(crowd: Crowd) -> None:
    site, clock, written = crowd.site, SystemClock(), crowd.written
    begun = clock.monotonic()

    keys = [site.config(pool, limit=str(5 * NODES), nodeSelector={"pool": pool}) for pool in POOLS]

    eventually(lambda: all(site.is_set_up(key) for key in keys), "set up", LIMIT_SECONDS)
    told(f"{NODES} nodes advertise", clock.monotonic() - begun, written.all())
    for pool in POOLS:
        numbers = crowd.numbers(pool)
        assert (sum(numbers), max(numbers) - min(numbers) <= 1) == (5 * NODES, True)
    assert all(CONFIG_LABEL in each.metadata.labels for each in crowd.nodes())
    eventually(lambda: all(crowd.runs_everywhere(key) for key in keys), "pods run", LIMIT_SECONDS)
    told("the adaptor runs on all of them", clock.monotonic() - begun, written.all())

    before, settled, quiet = crowd.versions(), written.all(), clock.monotonic()
    eventually(lambda: not before.items() & crowd.versions().items(), "each node tells of itself", LIMIT_SECONDS)
    told("each node has told of itself", clock.monotonic() - quiet, written.all()[len(settled) :])
    assert written.all() == settled
    # Each number was written once: what nodes tell of themselves in between is no reason to do it again.
    twice = {each: count for each, count in Counter(settled).items() if " nodes" in each and count > 1}
    assert twice == {}

    going = clock.monotonic()
    for key in keys:
        site.client.delete(PeerPodConfig, key)
    eventually(lambda: all(site.is_gone(key) for key in keys), "configs go", LIMIT_SECONDS)
    told("configs are gone", clock.monotonic() - going, written.all()[len(settled) :])
    left = [each for each in crowd.nodes() if CONFIG_LABEL in each.metadata.labels]
    assert left == []
    assert {number for pool in POOLS for number in crowd.numbers(pool)} == {-1}
