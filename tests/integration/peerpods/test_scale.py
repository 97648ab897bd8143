"""A thousand nodes are divided in reasonable time, and after that nothing is written, whatever they tell."""

import pytest

from apis.core.v1 import Node
from apis.meta import Key
from controllers.peerpodconfig.parallel import Parallel
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE
from framework.clock import SystemClock
from framework.runtime import ThreadRuntime
from tests.integration.peerpods.site import Site
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("peerpods")
NODES, POOLS = 1000, ("one", "two", "three")


def numbers_of(site: Site) -> dict[str, list[int]]:
    """Of the nodes of each pool, as far as they belong to a config."""
    found: dict[str, list[int]] = {pool: [] for pool in POOLS}
    for node in site.client.list(Node, labels=f"site={site.name}"):
        number = node.status.allocatable.get(EXTENDED_RESOURCE)
        if number is not None and CONFIG_LABEL in node.metadata.labels:
            found[node.metadata.labels["pool"]].append(int(number))
    return found


def test_a_thousand_nodes_of_three_configs_are_divided_and_then_nothing_is_written(site: Site) -> None:
    parallel, clock = Parallel(ThreadRuntime(), 8, "test"), SystemClock()

    def make(number: int) -> None:
        site.node(f"{number:04}", {"pool": POOLS[number % len(POOLS)]}, is_ready=False)

    assert not any(parallel.outcomes([lambda number=number: make(number) for number in range(NODES)]))  # type: ignore[misc] # mypy cannot infer a lambda with a default
    begun = clock.monotonic()

    keys = [site.config(pool, limit="5000", nodeSelector={"pool": pool}) for pool in POOLS]

    eventually(lambda: all(site.is_set_up(key) for key in keys), "set up", 240)
    print(f"{NODES} nodes in {clock.monotonic() - begun:.1f} s")  # noqa: T201 - for who wants to know
    assert {pool: sum(found) for pool, found in numbers_of(site).items()} == dict.fromkeys(POOLS, 5000)
    assert all(max(found) - min(found) <= 1 for found in numbers_of(site).values())
    eventually(lambda: all(site.message(key, "DaemonSetReady").startswith("0 of 0") for key in keys), "all is told")
    site.writes.seen.clear()

    def beat(number: int) -> None:
        condition = {"type": "Ready", "status": "True", "reason": f"beat{number}", "message": ""}
        name = Key("", site.node_name(f"{number:04}"))
        site.client.merge_patch(Node, name, {"status": {"conditions": [condition]}}, subresource="status")

    assert not any(parallel.outcomes([lambda number=number: beat(number) for number in range(0, NODES, 4)]))  # type: ignore[misc] # as above
    # Something that makes everybody look again, and changes nothing but what is told about it.
    site.change(keys[0], webhook={"replicas": 3})
    eventually(lambda: site.is_set_up(keys[0]), "looked again")
    site.node("marker", {"pool": "none"})
    eventually(lambda: site.is_set_up(keys[0]), "and again")

    assert site.writes.seen == ["patch peerpodconfigs one"]
