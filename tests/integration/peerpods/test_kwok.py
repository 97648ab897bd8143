"""Nodes that kwok plays: they tell of themselves, and run the adaptor's pods. `make peerpods-scale NODES=1000`."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from apis.core.v1 import Node
from apis.meta import Unstructured, resource_type_of
from controllers.peerpodconfig.parallel import Parallel
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE
from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.conftest import CRDS, install_definitions, kubectl_of
from tests.integration.peerpods.site import Site, site_of
from tests.integration.requeststate.processes import eventually

NODES = int(os.environ.get("WINDLASS_KWOK_NODES") or 0)
POOLS = ("one", "two", "three")
LIMIT_SECONDS, QUIET_SECONDS = 1200.0, 60.0

pytestmark = [
    pytest.mark.skipif(NODES == 0, reason="takes minutes: make peerpods-scale"),
    pytest.mark.timeout(2 * LIMIT_SECONDS),
]


@pytest.fixture
def kwok_site(binaries: Path, tmp_path: Path) -> Iterator[Site]:
    with ControlPlane(binaries, tmp_path, controller_manager=True, scheduler=True, kwok_nodes=1) as plane:
        kubectl = kubectl_of(plane)
        install_definitions(kubectl, CRDS)
        with site_of(plane, kubectl) as made:
            made.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
            made.start()
            yield made


def add_node(site: Site, number: int) -> None:
    labels = {"site": site.name, "pool": POOLS[number % len(POOLS)], "kubernetes.io/os": "linux"}
    annotations = {"kwok.x-k8s.io/node": "fake"}
    metadata = {"name": site.node_name(f"{number:04}"), "labels": labels, "annotations": annotations}
    site.client.create(Unstructured(content={"metadata": metadata}), kind=resource_type_of(Node))


def test_nodes_of_kwok_are_divided_run_the_adaptor_and_then_nothing_is_written(kwok_site: Site) -> None:
    site, clock = kwok_site, SystemClock()
    parallel = Parallel(ThreadRuntime(), 8, "test")
    assert not any(parallel.outcomes([lambda number=number: add_node(site, number) for number in range(NODES)]))  # type: ignore[misc] # mypy cannot infer a lambda with a default
    begun = clock.monotonic()

    keys = [site.config(pool, limit=str(5 * NODES), nodeSelector={"pool": pool}) for pool in POOLS]

    eventually(lambda: all(site.is_set_up(key) for key in keys), "set up", LIMIT_SECONDS)
    print(f"{NODES} nodes advertise after {clock.monotonic() - begun:.1f} s")  # noqa: T201 - for who wants to know
    found = site.client.list(Node, labels=f"site={site.name}")
    assert sum(int(each.status.allocatable[EXTENDED_RESOURCE]) for each in found) == 5 * NODES * len(POOLS)
    assert all(CONFIG_LABEL in each.metadata.labels for each in found)
    eventually(lambda: all(site.says(key, "Ready", "True", "Ready") for key in keys), "pods run", LIMIT_SECONDS)
    print(f"the adaptor runs on all of them after {clock.monotonic() - begun:.1f} s")  # noqa: T201 - as above
    site.writes.seen.clear()
    # Each node tells of itself several times meanwhile.
    wait_until(lambda: bool(site.writes.seen), limit_seconds=QUIET_SECONDS)
    assert site.writes.seen == []
