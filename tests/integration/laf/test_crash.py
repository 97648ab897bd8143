"""A process that dies right after any of its writes, and another that finds what the first has left."""

from collections.abc import Iterator

import msgspec
import pytest

from framework.testing.relay import Fault, Match, Stall
from tests.integration.laf.dependencies import installed, make_ready
from tests.integration.laf.gate import Gate
from tests.integration.laf.stage import Stage
from tests.integration.laf.world import World, eventually
from tests.integration.requeststate.processes import Process

pytestmark = pytest.mark.xdist_group("laf-crash")


class Write(msgspec.Struct, frozen=True):
    """A request after whose effect the process is killed, before it hears of it."""

    where: str
    method: str
    path: str
    body: str = ""

    def match(self) -> Match:
        return Match(method=self.method, path=self.path, body=self.body)


def on_hub(method: str, path: str, body: str = "") -> Write:
    return Write("hub", method, path, body)


def on_remote(method: str, path: str, body: str = "") -> Write:
    return Write("remote", method, path, body)


# In the order of a life: what is made, what is changed, what is taken away.
WHILE_STARTING = {
    "finalizer of the Application": on_hub("PATCH", "/applications/shop$", "finalizers"),
    "phase Initializing": on_hub("PATCH", "/applications/shop/status$", '"Initializing"'),
    "Database": on_hub("POST", "/databases$"),
    "User": on_hub("POST", "/users$"),
    "phase Initialized": on_hub("PATCH", "/applications/shop/status$", '"Initialized"'),
    "Instance": on_hub("POST", "/instances$"),
    "phase Starting": on_hub("PATCH", "/applications/shop/status$", '"Starting"'),
    "finalizer of the Instance": on_hub("PATCH", "/instances/shop$", "finalizers"),
    "placement": on_hub("PATCH", "/instances/shop/status$", "clusterUID"),
    "salt": on_hub("POST", "/secrets$"),
    "name of the Deployment": on_hub("PATCH", "/instances/shop/status$", "DeploymentName"),
    "remote Namespace": on_remote("POST", "/namespaces$"),
    "remote Secret": on_remote("POST", "/secrets$"),
    "remote Deployment": on_remote("POST", "/deployments$"),
    "remote Service": on_remote("POST", "/services$"),
    "records": on_hub("PATCH", "/instances/shop/status$", "remoteUIDs"),
    "phase Running": on_hub("PATCH", "/applications/shop/status$", '"Running"'),
}
WHILE_CHANGING = {
    "snapshot of the Runtime": on_hub("PATCH", "/applications/shop/status$", "app:2"),
    "remote Deployment": on_remote("PATCH", "/deployments/shop-deployment$"),
    "records": on_hub("PATCH", "/instances/shop/status$", "remoteGeneration"),
}
WHILE_DELETING = {
    "phase Stopping": on_hub("PATCH", "/applications/shop/status$", '"Stopping"'),
    "Instance": on_hub("DELETE", "/instances/shop$"),
    "remote Deployment": on_remote("DELETE", "/deployments/shop-deployment$"),
    "remote Service": on_remote("DELETE", "/services/shop-svc$"),
    "remote Secret": on_remote("DELETE", "/secrets/shop-env$"),
    "end of the records": on_hub("PATCH", "/instances/shop/status$", '"Stopped"'),
    "finalizer of the Instance": on_hub("PATCH", "/instances/shop$", "finalizers"),
    "User": on_hub("DELETE", "/users/"),
    "Database": on_hub("DELETE", "/databases/"),
    "salt": on_hub("DELETE", "/secrets/shop-salt$"),
    "finalizer of the Application": on_hub("PATCH", "/applications/shop$", "finalizers"),
}


class Troupe:
    """One process at a time: who follows one that was killed also begins the next test."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._process: Process | None = None

    def is_on(self) -> bool:
        return self._process is not None and self._process.is_running()

    def start(self) -> None:
        if not self.is_on():
            # Without a lease: that it runs out is not what is waited for here.
            self._process = self._stage.start(leads=False)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()


@pytest.fixture(scope="module")
def stage(empty_stage: Stage) -> Iterator[Stage]:
    with installed(empty_stage.hub, "Database", "User"):
        yield empty_stage


@pytest.fixture(scope="module")
def troupe(stage: Stage) -> Troupe:
    return Troupe(stage)


@pytest.fixture
def gate(world: World, troupe: Troupe) -> Gate:
    """Of a Cluster that is ready, in a world with a catalogue."""
    troupe.start()
    world.add_catalogue()
    return world.add_ready_cluster()


class Killing:
    """Kills the process as soon as *write* has had its effect."""

    def __init__(self, troupe: Troupe, world: World, gate: Gate, write: Write) -> None:
        self._troupe = troupe
        self._relay = gate.relay if write.where == "remote" else world.stage.hub_relay
        self._held = self._relay.inject(Fault(write.match(), Stall(before_headers=True)))

    def wait(self) -> None:
        self._held.wait(limit=40)
        self._troupe.kill()
        self._relay.release()


def provide(world: World) -> None:
    make_ready(world, "Database", connectionUri=f"mongodb://canary-{world.id}@db.example/app")
    make_ready(world, "User", accessKey="canary-access", secretKey="canary-secret", endpoint="e", region="o")


def uid(obj: dict[str, dict[str, str]]) -> str:
    return obj["metadata"]["uid"]


def assert_one_of_each(world: World) -> None:
    for kind in ("Instance", "Database", "User"):
        assert len(world.hub.all_of(kind, world.tenant)) == 1, kind
    for kind in ("Deployment", "Service"):
        assert len(world.remote.all_of(kind, world.tenant)) == 1, kind
    assert [each["metadata"]["name"] for each in world.remote.all_of("Secret", world.tenant)] == ["shop-env"]
    salts = [each for each in world.hub.all_of("Secret", world.tenant) if each["metadata"]["name"] == "shop-salt"]
    assert salts[0]["data"]["SERVER_SECRET_SALT"] == world.remote_get("Secret")["data"]["SERVER_SECRET_SALT"]


@pytest.mark.parametrize("write", WHILE_STARTING)
def test_an_application_starts_although_the_process_died_after(
    write: str, world: World, gate: Gate, troupe: Troupe
) -> None:
    killing = Killing(troupe, world, gate, WHILE_STARTING[write])
    world.add_application()
    if write not in list(WHILE_STARTING)[:4]:
        provide(world)
    if write == "phase Running":
        world.play_kubelet()
    killing.wait()
    troupe.start()
    made = {kind: found for kind in ("Deployment", "Service", "Secret") if (found := world.remote_find(kind))}
    kept = [each for kind in ("Database", "User") for each in world.hub.all_of(kind, world.tenant)]
    if write in list(WHILE_STARTING)[:4]:
        provide(world)

    world.play_kubelet()
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    world.expect("Instance", "shop", status={"status": "Running"}, DeploymentAndServiceCreated="True/Created")

    assert_one_of_each(world)
    for kind, found in made.items():
        assert uid(world.remote_get(kind)) == uid(found), kind
    for found in kept:
        now = world.hub.get(found["kind"], found["metadata"]["name"], world.tenant)
        assert (uid(now), now["spec"]["password"]) == (uid(found), found["spec"]["password"])
    assert world.remote_get("Deployment")["metadata"]["generation"] == 1


@pytest.mark.parametrize("write", WHILE_CHANGING)
def test_a_change_arrives_once_although_the_process_died_after(
    write: str, world: World, gate: Gate, troupe: Troupe
) -> None:
    world.add_application()
    provide(world)
    world.play_kubelet()
    world.expect("Application", "shop", status={"state": "Running"}, Ready="True/InstanceReady")
    before = world.remote_get("Deployment")
    killing = Killing(troupe, world, gate, WHILE_CHANGING[write])

    world.edit("Runtime", "node18", image={"main": "registry.example/app:2"})
    killing.wait()
    troupe.start()

    eventually(lambda: world.main_container()["image"] == "registry.example/app:2", "the image is out")
    world.play_kubelet()
    generation = {"remoteGeneration": 2, "observedGeneration": 1}
    world.expect("Instance", "shop", status=generation, Ready="True/Ready")
    gate.await_probes(2)
    after = world.remote_get("Deployment")
    assert (uid(after), after["metadata"]["generation"]) == (uid(before), 2)
    eventually(lambda: followed(world), "the snapshot follows")
    assert_one_of_each(world)


@pytest.mark.parametrize("write", WHILE_DELETING)
def test_a_deleted_application_goes_although_the_process_died_after(
    write: str, world: World, gate: Gate, troupe: Troupe
) -> None:
    world.add_application()
    provide(world)
    world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created")
    killing = Killing(troupe, world, gate, WHILE_DELETING[write])

    world.delete("Application", "shop")
    killing.wait()
    troupe.start()

    world.expect_gone("Application", "shop")
    for kind in ("Instance", "Database", "User", "Secret"):
        assert world.hub.all_of(kind, world.tenant) == [], kind
    for kind in ("Deployment", "Service", "Secret"):
        assert world.remote.all_of(kind, world.tenant) == [], kind
    world.expect("Cluster", "a", status={"instanceCount": 0})


def followed(world: World) -> bool:
    image: str = world.status("Application", "shop")["runtimeSpec"]["image"]["main"]
    return image == "registry.example/app:2"


def test_an_instance_that_was_only_bound_is_placed_elsewhere_if_its_cluster_is_gone_meanwhile(
    world: World, gate: Gate, troupe: Troupe
) -> None:
    world.edit("Cluster", "a", priority=1)
    other = world.add_ready_cluster("b")
    killing = Killing(troupe, world, gate, WHILE_STARTING["placement"])
    world.add_instance()
    killing.wait()
    assert world.status("Instance", "shop")["clusterName"] == gate.name

    gate.relay.cut()
    troupe.start()

    world.expect("Instance", "shop", status={"clusterName": other.name}, DeploymentAndServiceCreated="True/Created")
    assert gate.writes == []
