"""Applications, with a real process on a real hub; the test plays the controller of Instances."""

import re
from collections.abc import Iterator

import pytest

from apis.core.v1 import Namespace, Secret
from apis.laf.application import Application
from apis.laf.bundle import Bundle
from apis.laf.instance import Instance, InstanceSpec
from apis.laf.runtime import Runtime
from apis.meta import Key, ObjectMeta, controller_reference
from controllers.laf.optional_kinds import DATABASE, GATEWAY, OSS_USER
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.informers import DEFINITIONS
from tests.cluster import Cluster
from tests.integration.laf.application_world import PhaseWatch, World, make_system, new_appid
from tests.integration.laf.conftest import Hosts
from tests.integration.laf.dependency_definitions import definition, install, uninstall
from tests.integration.requeststate.processes import Process, Windlass, eventually

CONTROLLERS = "-controllers=application,bundle,runtime"


class Running:
    """A world, and the process in it."""

    def __init__(self, world: World, process: Process) -> None:
        self.world = world
        self.process = process


@pytest.fixture(scope="module")
def running(control_plane: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One process for all tests that do not end it: each has a namespace of its own."""
    client = connect(from_kubeconfig(str(control_plane.kubeconfig), clock=SystemClock()))
    system = make_system(client)
    windlass = Windlass(tmp_path_factory.mktemp("application"), control_plane.kubeconfig, system)
    world = World(client, system)
    world.offer_bundle()
    world.offer_runtime()
    yield Running(world, Hosts(windlass, control_plane.kubeconfig, system).start(CONTROLLERS))
    windlass.end()
    client.delete(Namespace, Key("", system))
    client.connection.close()


@pytest.fixture
def world(running: Running, namespace: str) -> Iterator[World]:
    yield running.world
    running.world.clear(namespace)


@pytest.fixture
def dependencies(client: Client) -> Iterator[None]:
    install(client)
    yield
    uninstall(client)


def test_it_comes_up_phase_by_phase_and_follows_its_instance(world: World, namespace: str) -> None:
    with PhaseWatch(world.client, Key(namespace, "shop")) as watch:
        key = world.create(namespace)
        world.reaches(key, "Starting")
        eventually(lambda: watch.phases == ["Initializing", "Initialized", "Starting"], "each phase is seen")

    application, instance = world.application(key), world.instance(key)
    assert application.metadata.finalizers == ["application.finalizers.laf.dev"]
    assert application.status.bundle_spec is not None
    assert application.status.bundle_spec.limit_memory == "512Mi"
    assert instance.metadata.owner_references == [controller_reference(application)]
    spec = world.spec(key)
    assert instance.metadata.labels == {"laf.dev/appid": spec.appid}
    assert instance.spec is not None
    assert (instance.spec.appid, instance.spec.region, instance.spec.state) == (spec.appid, "east", "Running")
    assert (instance.spec.bundle, instance.spec.bundle_namespace) == ("small", world.system)
    assert (instance.spec.runtime, instance.spec.runtime_namespace) == ("node18", world.system)
    assert (instance.spec.database, instance.spec.oss_user, instance.spec.replica) == ("", "", 1)
    for condition in ("DatabaseCreated", "ObjectStorageCreated", "GatewayCreated", "DatabaseReady", "GatewayReady"):
        assert world.condition(key, condition)[:2] == ("True", "NotInstalled")
    assert world.condition(key, "InstanceCreated")[:2] == ("True", "InstanceCreated")
    assert world.condition(key, "InstanceDeleted")[:2] == ("False", "InstancePresent")

    world.play(key, "False", "NotPlaced", "no cluster in region east")
    eventually(lambda: world.condition(key, "Ready")[2] == "no cluster in region east", "the message is copied")
    assert world.condition(key, "Ready")[:2] == ("False", "InstancePending")
    world.play_ready(key)
    world.reaches(key, "Running")
    assert world.condition(key, "Ready")[:2] == ("True", "InstanceReady")
    world.play_ready(key, "False", "ReplicasUnavailable", "0 of 1")
    world.tells(key, "Ready", "False", "InstanceNotReady")
    world.play_ready(key, "Unknown", "ClusterUnreachable")
    world.tells(key, "Ready", "Unknown", "InstanceUnknown")
    assert world.application(key).status.state == "Running"
    eventually(lambda: world.events(key, "InstanceNotReady") == ["Warning"], "one warning")
    eventually(lambda: len(world.events(key, "PhaseChanged")) >= 1, "the phases are told")


def test_one_that_waits_in_an_old_generation_is_not_running(world: World, namespace: str) -> None:
    key = world.create(namespace)
    world.reaches(key, "Starting")

    world.play(key, "True", "Ready", clusterUID="c", observedGeneration=0)
    world.tells(key, "Ready", "False", "InstanceNotReady")
    assert world.application(key).status.state == "Starting"
    world.play_ready(key)

    world.reaches(key, "Running")


def test_it_stops_when_its_instance_is_gone_and_starts_with_another(world: World, namespace: str) -> None:
    key = world.runs(namespace)
    uid = world.instance(key).metadata.uid
    with PhaseWatch(world.client, key) as watch:
        world.edit(Application, key, state="Stopped")
        world.reaches(key, "Stopping")
        eventually(lambda: world.instance(key).metadata.is_being_deleted, "the Instance is deleted")
        # Wanted again, while it stops: the Instance that goes is not used again.
        world.edit(Application, key, state="Running")
        world.let_go(key)
        world.reaches(key, "Starting")
        assert world.instance(key).metadata.uid != uid
        world.play_ready(key)
        world.reaches(key, "Running")
        world.edit(Application, key, state="Stopped")
        world.let_go(key)
        world.reaches(key, "Stopped")
        eventually(lambda: watch.phases[-1] == "Stopped", "all phases are seen")

    again = ["Running", "Stopping", "Stopped", "Starting", "Running", "Stopping", "Stopped"]
    assert watch.phases == again
    assert world.is_gone(Instance, key)
    assert world.condition(key, "InstanceDeleted")[:2] == ("True", "InstanceDeleted")
    assert world.condition(key, "InstanceCreated")[:2] == ("False", "Stopped")
    assert world.condition(key, "Ready")[:2] == ("False", "Stopped")


def test_one_that_is_not_wanted_stops_before_it_starts(world: World, namespace: str) -> None:
    key = world.create(namespace, state="Stopped")

    world.reaches(key, "Stopped")
    assert world.is_gone(Instance, key)


def test_it_goes_after_its_instance_with_its_salt_and_leaves_what_is_not_its_own(world: World, namespace: str) -> None:
    key = world.runs(namespace)
    owner = controller_reference(world.application(key))
    salt = {"laf.dev/salt": "true"}
    ours = ObjectMeta(name="shop-salt", namespace=namespace, labels=salt, owner_references=[owner])
    foreign = ObjectMeta(name="other-salt", namespace=namespace, labels=salt)
    for metadata in (ours, foreign):
        world.client.create(Secret(metadata=metadata))

    world.client.delete(Application, key)

    world.tells(key, "Ready", "False", "WaitingForInstanceDeletion")
    assert world.application(key).status.state == "Stopping"
    assert not world.is_gone(Secret, ours.key)
    world.let_go(key)
    eventually(lambda: world.is_gone(Application, key), "it is gone")
    assert world.is_gone(Secret, ours.key)
    assert not world.is_gone(Secret, foreign.key)


def test_it_waits_for_a_bundle_that_it_may_adopt_and_keeps_what_it_has(world: World, namespace: str) -> None:
    bundle = Key(world.system, new_appid())
    key = world.create(namespace, bundleName=bundle.name)
    world.tells(key, "BundleInitialized", "False", "NotFound")
    assert world.application(key).status.state == "Initializing"
    assert "BundleInitialized" in world.condition(key, "Ready")[2]
    world.offer_bundle(bundle.name, priority=0)
    world.tells(key, "BundleInitialized", "False", "Unavailable")
    world.edit(Bundle, bundle, priority=5)
    world.reaches(key, "Starting")

    world.edit(Bundle, bundle, limitMemory="1Gi", priority=0)
    eventually(lambda: _limit_memory(world, key) == "1Gi", "the snapshot follows")
    assert world.condition(key, "BundleInitialized")[0] == "True"
    hidden = new_appid()
    world.offer_bundle(hidden, priority=0)
    world.edit(Application, key, bundleName=hidden)
    world.tells(key, "BundleInitialized", "False", "Unavailable")
    world.client.delete(Bundle, bundle)

    eventually(lambda: "Warning" in world.events(key, "Unavailable"), "it is told")
    application, instance = world.application(key), world.instance(key)
    assert (application.status.bundle_name, application.status.state) == (bundle.name, "Starting")
    assert instance.spec is not None
    assert instance.spec.bundle == bundle.name
    world.edit(Application, key, bundleName="small")
    eventually(lambda: _bundle_of(world, key) == "small", "the Instance follows")


def test_a_deprecated_runtime_is_kept_with_a_warning_and_not_adopted(world: World, namespace: str) -> None:
    runtime = Key(world.system, new_appid())
    world.offer_runtime(runtime.name)
    key = world.create(namespace, runtimeName=runtime.name)
    world.reaches(key, "Starting")

    world.edit(Runtime, runtime, deprecated=True)
    other = world.create(namespace, "other", runtimeName=runtime.name)

    world.tells(other, "RuntimeInitialized", "False", "Deprecated")
    eventually(lambda: world.events(key, "Deprecated") == ["Warning"], "its user is warned")
    assert world.condition(key, "RuntimeInitialized")[:2] == ("True", "RuntimeInitialized")
    assert world.application(other).status.state == "Initializing"


def test_an_appid_has_one_owner_and_the_next_one_starts_when_it_goes(world: World, namespace: str) -> None:
    appid = new_appid()
    first = world.create(namespace, "first", appid=appid)
    world.reaches(first, "Starting")

    second = world.create(namespace, "second", appid=appid)

    world.tells(second, "Ready", "False", "AppIdConflict")
    eventually(lambda: world.events(second, "AppIdConflict") == ["Warning"], "it is told")
    assert world.application(second).status.state is None
    assert world.is_gone(Instance, second)
    world.client.delete(Application, first)
    world.reaches(second, "Starting")
    assert world.is_gone(Instance, first)


def test_an_instance_of_somebody_else_is_left_alone_until_it_goes(world: World, namespace: str) -> None:
    foreign = Instance(metadata=ObjectMeta(name="shop", namespace=namespace), spec=_some_spec())
    version = world.client.create(foreign).metadata.resource_version

    key = world.create(namespace)

    world.tells(key, "InstanceCreated", "False", "NameCollision")
    eventually(lambda: world.events(key, "NameCollision") == ["Warning"], "it is told")
    assert world.application(key).status.state == "Initialized"
    assert world.instance(key).metadata.resource_version == version
    world.client.delete(Instance, key)
    world.reaches(key, "Starting")
    assert world.condition(key, "InstanceCreated")[0] == "True"


def test_drift_of_its_own_fields_is_undone_and_others_are_left_alone(world: World, namespace: str) -> None:
    key = world.runs(namespace)

    world.client.merge_patch(Instance, key, {"metadata": {"labels": {"laf.dev/appid": None, "mine": "too"}}})
    world.edit(Instance, key, bundle="other", state="Stopped", clusterName="pinned", replica=3, database="x")
    eventually(lambda: _bundle_of(world, key) == "small", "the bundle is restored")
    instance = world.instance(key)
    assert instance.spec is not None
    assert (instance.spec.state, instance.spec.database) == ("Running", "")
    assert (instance.spec.cluster_name, instance.spec.replica) == ("pinned", 3)
    eventually(lambda: world.instance(key).metadata.labels.get("laf.dev/appid") == world.spec(key).appid, "the label")
    assert world.instance(key).metadata.labels["mine"] == "too"

    world.edit(Application, key, replica=0)
    eventually(lambda: _replica_of(world, key) == 0, "a replica that is set is ours")


def test_an_instance_that_is_deleted_is_made_again(world: World, namespace: str) -> None:
    key = world.runs(namespace)
    uid = world.instance(key).metadata.uid

    world.client.delete(Instance, key)
    world.let_go(key)

    world.reaches(key, "Starting")
    eventually(lambda: not world.is_gone(Instance, key) and world.instance(key).metadata.uid != uid, "another one")
    world.play_ready(key)
    world.reaches(key, "Running")


def test_one_without_a_spec_says_so_and_can_go(world: World, namespace: str) -> None:
    key = Key(namespace, "shop")
    world.client.create(Application(metadata=ObjectMeta(name="shop", namespace=namespace)))
    world.tells(key, "Ready", "False", "SpecMissing")
    eventually(lambda: world.events(key, "SpecMissing") == ["Warning"], "it is told")

    world.client.delete(Application, key)

    eventually(lambda: world.is_gone(Application, key), "it is gone")


@pytest.mark.usefixtures("dependencies")
def test_its_dependencies_are_made_waited_for_and_deleted_in_order(
    world: World, namespace: str, running: Running
) -> None:
    appid = new_appid()[:3]
    bundle = Key(world.system, new_appid())
    world.offer_bundle(bundle.name)
    key, named = world.create(namespace, appid=appid, bundleName=bundle.name), Key(namespace, appid)
    world.tells(key, "DatabaseReady", "False", "WaitingForReady")
    assert world.application(key).status.state == "Initializing"
    spec = world.dependency(DATABASE, named).content["spec"]
    password = spec.pop("password")
    assert (len(password), password.isalnum()) == (64, True)
    assert spec == {
        "provider": "mongodb",
        "region": "east",
        "username": f"laf-{appid}",
        "capacity": {"storage": "2Gi"},
    }
    assert world.dependency(GATEWAY, named).content["spec"] == {"appid": appid}
    user = world.dependency(OSS_USER, named).content
    assert (user["spec"]["provider"], user["metadata"]["labels"]) == ("minio", {"laf.dev/appid": appid})
    for kind in (DATABASE, OSS_USER, GATEWAY):
        world.play_dependency_ready(kind, named)
    world.reaches(key, "Starting")
    instance = world.instance(key)
    assert instance.spec is not None
    assert (instance.spec.database, instance.spec.database_namespace) == (appid, namespace)
    assert (instance.spec.oss_user, instance.spec.oss_user_namespace) == (appid, namespace)

    world.edit(Bundle, bundle, databaseCapacity="4Gi")
    eventually(lambda: _storage(world, named) == "4Gi", "the capacity follows")
    assert world.dependency(DATABASE, named).content["spec"]["password"] == password
    world.client.delete(GATEWAY, named)
    eventually(lambda: not world.is_gone(GATEWAY, named), "what is deleted is made again")

    world.client.merge_patch(OSS_USER, named, {"metadata": {"finalizers": ["test.laf.dev/held"]}})
    world.client.delete(Application, key)
    world.tells(key, "ObjectStorageDeleted", "False", "Deleting")
    assert world.condition(key, "GatewayDeleted")[:2] == ("True", "Deleted")
    world.tells(key, "Ready", "False", "WaitingForDependencyDeletion")
    assert not world.is_gone(DATABASE, named)
    world.client.merge_patch(OSS_USER, named, {"metadata": {"finalizers": None}})
    eventually(lambda: world.is_gone(Application, key), "it is gone")
    assert world.is_gone(DATABASE, named)
    assert password not in running.process.stderr
    assert "TOPSECRET" not in running.process.stderr


@pytest.mark.usefixtures("dependencies")
def test_a_database_that_the_server_refuses_is_told_without_its_password(
    world: World, namespace: str, running: Running
) -> None:
    # Nine of them would be enough to be refused; the server quotes all 64.
    world.client.apply(DEFINITIONS, definition(DATABASE, password={"type": "string", "maxLength": 9}))

    key = world.create(namespace)

    world.tells(key, "DatabaseCreated", "False", "NotCreated")
    assert "spec.password" in world.condition(key, "DatabaseCreated")[2]
    assert world.application(key).status.state == "Initializing"
    told = running.process.stderr + str(world.application(key).status)
    assert re.findall(r"\b[A-Za-z0-9]{64}\b", told) == []


@pytest.mark.usefixtures("dependencies")
def test_a_database_of_somebody_else_is_neither_used_nor_deleted(world: World, namespace: str) -> None:
    appid = new_appid()
    named = Key(namespace, appid)
    foreign = world.create_foreign(
        DATABASE, named, provider="mongodb", region="r", username="someone", password="theirs123", capacity={}
    )

    key = world.create(namespace, appid=appid)

    world.tells(key, "DatabaseCreated", "False", "NameCollision")
    eventually(lambda: world.events(key, "NameCollision") == ["Warning"], "it is told")
    assert world.application(key).status.state == "Initializing"
    world.client.delete(Application, key)
    eventually(lambda: world.is_gone(Application, key), "it is gone")
    assert world.dependency(DATABASE, named).metadata.resource_version == foreign.metadata.resource_version


def test_what_is_installed_later_is_made_then_and_moves_no_phase_back(
    world: World, namespace: str, client: Client
) -> None:
    key = world.runs(namespace)
    named = Key(namespace, world.spec(key).appid)
    try:
        with PhaseWatch(world.client, key) as watch:
            install(client, [DATABASE])
            world.tells(key, "DatabaseReady", "False", "WaitingForReady")
            eventually(lambda: _database_of(world, key) == named.name, "the Instance refers to it")
            world.play_dependency_ready(DATABASE, named)
            world.tells(key, "DatabaseReady", "True", "DatabaseReady")
            assert watch.phases == ["Running"]
    finally:
        uninstall(client, [DATABASE])

    world.tells(key, "DatabaseReady", "True", "NotInstalled")
    eventually(lambda: _database_of(world, key) == "", "the Instance does without")


def _some_spec() -> InstanceSpec:
    return InstanceSpec(region="west", appid="theirs", bundle="theirs", runtime="theirs")


def _bundle_of(world: World, key: Key) -> object:
    spec = world.instance(key).spec
    return spec.bundle if spec is not None else None


def _replica_of(world: World, key: Key) -> int | None:
    spec = world.instance(key).spec
    return spec.replica if spec is not None else None


def _database_of(world: World, key: Key) -> str | None:
    spec = world.instance(key).spec
    return spec.database if spec is not None else None


def _limit_memory(world: World, key: Key) -> object:
    bundle = world.application(key).status.bundle_spec
    return None if bundle is None else bundle.limit_memory


def _storage(world: World, key: Key) -> object:
    return world.dependency(DATABASE, key).content["spec"]["capacity"]["storage"]
