"""What one process sends for an Application, also when it is killed in between and another one follows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from apis.laf.application import Application
from apis.laf.instance import Instance
from apis.meta import Key
from controllers.laf.optional_kinds import DATABASE
from framework.client import Client
from framework.testing.relay import Fault, Match, Relay, SeenRequest, Stall
from tests.integration.laf.application_world import World
from tests.integration.laf.conftest import Hosts
from tests.integration.laf.dependency_definitions import install, uninstall
from tests.integration.requeststate.processes import eventually

CONTROLLERS = "-controllers=application,bundle,runtime"


@pytest.fixture
def world(client: Client, hosts: Hosts, namespace: str, relay: Relay) -> Iterator[World]:
    """Cleared by the last process, which may need the relay for it."""
    del relay
    made = World(client, hosts.system)
    made.offer_bundle()
    made.offer_runtime()
    yield made
    made.clear(namespace)


@pytest.fixture
def database_definition(client: Client) -> Iterator[None]:
    install(client, [DATABASE])
    yield
    uninstall(client, [DATABASE])


def killed_when(path: str, namespace: str, *, world: World, hosts: Hosts, relay: Relay, kubeconfig: Path) -> Key:
    """The key of an Application; who was at it died before it heard that what it sent to *path* was made."""
    stalled = relay.inject(Fault(Match(method="POST", path=path), Stall(before_headers=True)))
    first = hosts.start(CONTROLLERS, kubeconfig=kubeconfig)
    key = world.create(namespace)
    stalled.wait()
    first.kill()
    return key


def test_killed_after_the_instance_was_made_there_is_no_second_one(
    world: World, hosts: Hosts, relay: Relay, behind_relay: Path, namespace: str
) -> None:
    key = killed_when("/instances$", namespace, world=world, hosts=hosts, relay=relay, kubeconfig=behind_relay)
    uid = world.instance(key).metadata.uid
    assert world.application(key).status.state == "Initialized"

    hosts.start(CONTROLLERS)

    world.reaches(key, "Starting")
    assert [each.metadata.uid for each in world.client.list(Instance, namespace)] == [uid]


@pytest.mark.usefixtures("database_definition")
def test_killed_after_the_database_was_made_its_password_stays(
    world: World, hosts: Hosts, relay: Relay, behind_relay: Path, namespace: str
) -> None:
    key = killed_when("/databases$", namespace, world=world, hosts=hosts, relay=relay, kubeconfig=behind_relay)
    named = Key(namespace, world.spec(key).appid)
    made = world.dependency(DATABASE, named)
    assert world.condition(key, "DatabaseCreated") == ("", "", "")

    hosts.start(CONTROLLERS)

    world.tells(key, "DatabaseCreated", "True", "DatabaseCreated")
    assert world.dependency(DATABASE, named).metadata.resource_version == made.metadata.resource_version
    assert len(world.client.list(DATABASE, namespace)) == 1


def test_one_that_has_settled_makes_no_request_until_something_changes(
    world: World, hosts: Hosts, relay: Relay, behind_relay: Path, namespace: str
) -> None:
    hosts.start("-controllers=application", kubeconfig=behind_relay)
    key = world.runs(namespace)
    settled = len(relay.requests)

    # Each makes it look again; only the last one is news.
    world.client.merge_patch(Application, key, {"metadata": {"annotations": {"look": "again"}}})
    world.client.merge_patch(Instance, key, {"metadata": {"annotations": {"look": "again"}}})
    world.edit(Application, key, replica=2)

    eventually(lambda: _seen_replica(world, key) == 2, "the Instance follows")
    status = f"PATCH /apis/application.laf.dev/v1/namespaces/{namespace}/applications/shop/status"
    made = [f"{each.method} {each.path}" for each in relay.requests[settled:] if not _is_beside_the_point(each)]
    others = [each for each in made if each != status]
    assert others == [f"PATCH /apis/instance.laf.dev/v1/namespaces/{namespace}/instances/shop"]
    assert made[0] == status


def _seen_replica(world: World, key: Key) -> int | None:
    spec = world.instance(key).spec
    return None if spec is None else spec.replica


def _is_beside_the_point(request: SeenRequest) -> bool:
    """Leases, events and watches."""
    return "/leases" in request.path or "/events" in request.path or request.query.get("watch") == "true"
