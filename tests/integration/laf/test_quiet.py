"""Fifty Instances that run and are left alone: no write, and no read but those of probes."""

from collections.abc import Sequence

import pytest

from framework.testing.relay import SeenRequest
from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-quiet")

INSTANCES = 50
# What a probe asks, and what a leader must say.
_PROBE = {
    ("GET", "/version"),
    ("GET", "/api/v1/namespaces/kube-system"),
    ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
}


def since(requests: Sequence[SeenRequest], number: int) -> list[SeenRequest]:
    return [each for each in requests if each.number > number]


def is_watch(request: SeenRequest) -> bool:
    """Begun anew now and then, when the server ends one; not because of any object."""
    return request.method == "GET" and request.query.get("watch") == "true"


def test_fifty_running_instances_cause_no_request_but_probes(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    names = [f"shop-{number}" for number in range(INSTANCES)]
    world.run_application("app")
    for name in names:
        world.add_instance(name)
    for name in names:
        world.play_kubelet(name)
    for name in names:
        world.expect("Instance", name, status={"status": "Running"}, Ready="True/Ready")
    # The Cluster's own part and the events follow; then there must be an end.
    used = {"cpu": "12750m", "memory": "6528Mi"}
    world.expect("Cluster", "a", status={"instanceCount": INSTANCES + 1, "used": used})
    hub = world.stage.hub_relay
    eventually(lambda: is_settled(world, len(hub.requests)), "nothing is going on any more")
    hub_number, remote_number = hub.requests[-1].number, gate.last_number
    before = [world.get("Instance", name)["metadata"]["resourceVersion"] for name in names]

    gate.await_probes(10)

    on_remote = {(each.method, each.path) for each in since(gate.relay.requests, remote_number) if not is_watch(each)}
    assert on_remote == _PROBE
    on_hub = [each for each in since(hub.requests, hub_number) if not is_watch(each)]
    assert {(each.method, each.path.rsplit("/", 2)[1]) for each in on_hub} <= {("PATCH", "leases"), ("PUT", "leases")}
    assert [world.get("Instance", name)["metadata"]["resourceVersion"] for name in names] == before


def is_settled(world: World, before: int) -> bool:
    gate = world.gates[0]
    gate.await_probes(2)
    later = world.stage.hub_relay.requests[before:]
    return all("leases" in each.path or is_watch(each) for each in later)
