"""Kinds in the group of upstream's code, and the objects of the documented groups that mirror them."""

from collections.abc import Iterator

import pytest

from apis.cfworker import alias
from apis.cfworker.jobbuilder import JobBuilder, JobBuilderSpec
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.cfworker.workerversion import VersionPhase
from apis.events.v1 import Event
from apis.meta import KubeObject
from controllers.workeralias import alias_controller, register_workeralias
from controllers.workers.settings import WorkersSettings
from framework.errors import Invalid
from framework.manager import Manager
from framework.rights import AccessRecorder, compare
from framework.runtime import ThreadRuntime
from tests.component.workers.aliased import KINDS, WITH_ALIASES, is_mirrored, make, make_bundle
from tests.component.workers.outside import FakeBucket, FakeRegistry
from tests.component.workers.test_versions import phase, version
from tests.component.workers.world import World, world_of

BY_HAND = "registry.test:5000/hand:1"


@pytest.fixture
def world() -> Iterator[World]:
    with world_of(WITH_ALIASES) as made:
        yield made


def build(world: World, name: str = "b1") -> None:
    """A JobBuilder that stands alone fills the bundle."""
    spec = JobBuilderSpec(
        script_urls=["u"], script_names=["built"], target_image="registry.test:5000/x:1", worker_bundle_name="it"
    )
    world.client.create(JobBuilder(metadata=world.named(name), spec=spec))
    world.complete(world.wait_for_job())
    world.until(lambda: "@sha256:" in bundled(world))
    world.until(lambda: world.condition(JobBuilder, name, "BundleUpdated") == ("True", "BundleUpdated"))


def refusals(world: World) -> list[Event]:
    return [each for each in world.events("NameTaken") if each.action == "Mirror"]


def bundled(world: World) -> str:
    return world.one(WorkerBundle, "it").spec.pod_template.image


def wait_until_mirrored(world: World, kind: type[KubeObject], label: str) -> None:
    """A label that is put on the alias goes the way of everything else."""
    world.client.merge_patch(kind, world.key("it"), {"metadata": {"labels": {"seen": label}}})
    canonical = next(each for each, other in KINDS if other is kind)
    world.until(lambda: world.one(canonical, "it").metadata.labels.get("seen") == label)


@pytest.mark.parametrize(("canonical", "kind"), KINDS, ids=lambda kind: kind.__module__.rpartition(".")[2])
def test_a_canonical_object_is_what_its_alias_is_and_belongs_to_it(
    canonical: type[KubeObject], kind: type[KubeObject], world: World
) -> None:
    last_applied = "kubectl.kubernetes.io/last-applied-configuration"
    make(world, kind, labels={"a": "b"}, annotations={"c": "d", last_applied: "{}"})

    world.until(lambda: is_mirrored(world, kind))

    made, source = world.content(canonical, "it"), world.content(kind, "it")
    (owner,) = made["metadata"]["ownerReferences"]
    assert made["spec"] == source["spec"]
    assert made["metadata"]["labels"] == {"a": "b"}
    assert made["metadata"]["annotations"]["c"] == "d"
    assert last_applied not in made["metadata"]["annotations"]
    assert (owner["apiVersion"], owner["uid"]) == ("api.cf-worker/v1", source["metadata"]["uid"])


@pytest.mark.parametrize(("canonical", "kind"), KINDS, ids=lambda kind: kind.__module__.rpartition(".")[2])
def test_what_another_made_is_not_touched_and_one_event_says_so(
    canonical: type[KubeObject], kind: type[KubeObject], world: World
) -> None:
    make(world, canonical, labels={"of": "another"})
    make(world, kind)
    world.until(lambda: world.condition(kind, "it", "Mirrored") == ("False", "NameTaken"))

    world.client.merge_patch(kind, world.key("it"), {"metadata": {"labels": {"x": "y"}}})
    world.restart()
    world.until(lambda: bool(refusals(world)))
    world.client.delete(canonical, world.key("it"))

    world.until(lambda: is_mirrored(world, kind))
    assert len(refusals(world)) == 1


def test_the_object_that_is_in_the_way_stays_as_it_is(world: World) -> None:
    make(world, WorkerRelease, labels={"of": "another"})
    world.until(lambda: bool(world.one(WorkerRelease, "it").status.conditions))
    before = world.content(WorkerRelease, "it")

    make(world, alias.WorkerRelease)

    world.until(lambda: world.condition(alias.WorkerRelease, "it", "Mirrored") == ("False", "NameTaken"))
    assert world.content(WorkerRelease, "it") == before
    assert [each.type for each in world.one(alias.WorkerRelease, "it").status.conditions] == ["Mirrored"]


def test_a_mirrored_release_is_built_and_its_status_comes_back(world: World) -> None:
    make(world, alias.WorkerAccount, "acme")
    make(world, alias.WorkerRelease, labels={"accounts": "acme"})

    world.serve()

    world.until(lambda: world.one(alias.WorkerRelease, "it").status.phase is ReleasePhase.ACTIVE)
    world.until(lambda: world.condition(alias.WorkerAccount, "acme", "Ready") == ("True", "Serving"))
    copy, source = world.one(alias.WorkerAccount, "acme").status, world.one(WorkerAccount, "acme").status
    assert (copy.image, copy.ports, copy.workers) == (source.image, source.ports, source.workers)


def test_what_a_canonical_status_no_longer_says_goes_from_the_alias_too(world: World) -> None:
    make(world, alias.WorkerAccount, "acme")
    make(world, alias.WorkerRelease, labels={"accounts": "acme"})
    world.serve()
    world.until(lambda: world.one(alias.WorkerAccount, "acme").status.worker_count == 1)

    world.client.merge_patch(alias.WorkerRelease, world.key("it"), {"metadata": {"labels": {"accounts": "other"}}})

    world.until(lambda: world.one(alias.WorkerAccount, "acme").status.worker_count == 0)
    assert world.content(alias.WorkerAccount, "acme")["status"].get("ports", {}) == {}


def test_nothing_is_written_when_all_is_mirrored_and_the_process_comes_back(world: World) -> None:
    make_bundle(world)
    build(world)
    make(world, alias.WorkerAccount, "acme")
    make(world, alias.WorkerRelease, labels={"accounts": "acme"})
    world.serve()
    before: dict[str, str] = {}

    def is_quiet() -> bool:
        last = dict(before)
        before.update(world.versions())
        return last == before

    world.until(is_quiet)
    world.restart()
    world.wait_until_looked_at()
    world.wait_until_looked_at(*(kind for kind, _ in KINDS), suffix="-alias")

    assert world.versions() == before


def test_a_field_that_leaves_the_alias_leaves_the_canonical_object(world: World) -> None:
    make_bundle(world)
    key, patch = world.key("it"), {"metadata": {"labels": {"x": "y"}}, "spec": {"ingress": {"className": "nginx"}}}
    world.client.merge_patch(alias.WorkerBundle, key, patch)
    world.until(lambda: world.one(WorkerBundle, "it").spec.ingress.class_name == "nginx")

    gone = {"metadata": {"labels": {"x": None}}, "spec": {"ingress": {"className": None}}}
    world.client.merge_patch(alias.WorkerBundle, key, gone)

    world.until(lambda: world.one(WorkerBundle, "it").spec.ingress.class_name == "")
    assert "x" not in world.one(WorkerBundle, "it").metadata.labels


def test_what_others_change_on_the_canonical_object_is_taken_back(world: World) -> None:
    make_bundle(world)

    world.client.merge_patch(WorkerBundle, world.key("it"), {"spec": {"deploymentName": "other"}})

    world.until(lambda: world.one(WorkerBundle, "it").spec.deployment_name == "hand")


def test_an_object_that_somebody_deletes_is_made_again(world: World) -> None:
    make_bundle(world)
    before = world.one(WorkerBundle, "it").metadata.uid

    world.client.delete(WorkerBundle, world.key("it"))

    world.until(lambda: (found := world.get(WorkerBundle, "it")) is not None and found.metadata.uid != before)


def test_an_object_that_is_being_deleted_is_waited_for(world: World) -> None:
    make_bundle(world)
    key = world.key("it")
    world.client.merge_patch(WorkerBundle, key, {"metadata": {"finalizers": ["test/wait"]}})

    world.client.delete(WorkerBundle, key)
    world.until(lambda: world.condition(alias.WorkerBundle, "it", "Mirrored") == ("False", "BeingDeleted"))
    world.client.merge_patch(WorkerBundle, key, {"metadata": {"finalizers": None}})

    world.until(lambda: is_mirrored(world, alias.WorkerBundle))
    assert not world.one(WorkerBundle, "it").metadata.is_being_deleted


def test_what_a_build_gives_to_a_bundle_stays_until_the_alias_says_something_else(world: World) -> None:
    make_bundle(world)
    build(world)

    wait_until_mirrored(world, alias.WorkerBundle, "built")
    built = world.one(WorkerBundle, "it").spec
    world.client.merge_patch(alias.WorkerBundle, world.key("it"), {"spec": {"podTemplate": {"image": f"{BY_HAND}1"}}})
    world.until(lambda: bundled(world) == f"{BY_HAND}1")
    wait_until_mirrored(world, alias.WorkerBundle, "by-hand")

    assert [each.worker_name for each in built.workers] == ["built"]
    assert "@sha256:" in built.pod_template.image
    assert bundled(world) == f"{BY_HAND}1"
    assert [each.worker_name for each in world.one(WorkerBundle, "it").spec.workers] == ["one"]


def test_a_version_changes_a_mirrored_deployment_until_the_alias_says_something_else(world: World) -> None:
    make(world, alias.WorkerDeployment, "acme.hello")
    world.until(lambda: is_mirrored(world, alias.WorkerDeployment, "acme.hello"))

    version(world, "v1")
    world.until(lambda: phase(world, "v1") is VersionPhase.APPLIED)
    world.client.merge_patch(alias.WorkerDeployment, world.key("acme.hello"), {"spec": {"paused": True}})
    world.until(lambda: world.one(WorkerDeployment, "acme.hello").spec.paused)
    of_version = world.one(WorkerDeployment, "acme.hello").spec.template.script_urls
    template = {"spec": {"template": {"scriptUrls": ["hello/2"]}}}
    world.client.merge_patch(alias.WorkerDeployment, world.key("acme.hello"), template)

    world.until(lambda: world.one(WorkerDeployment, "acme.hello").spec.template.script_urls == ["hello/2"])
    assert of_version == ["hello/v1"]


def test_the_release_of_a_script_cannot_be_changed_in_the_other_group_either(world: World) -> None:
    make(world, alias.WorkerRelease)

    with pytest.raises(Invalid, match="never changes"):
        world.client.merge_patch(alias.WorkerRelease, world.key("it"), {"spec": {"mainModule": "x"}})


def test_nothing_is_asked_of_the_server_that_was_not_declared() -> None:
    recorder = AccessRecorder(ThreadRuntime())
    with world_of(WITH_ALIASES, recorder, register=register_aliases) as world:
        make_bundle(world)
        wait_until_mirrored(world, alias.WorkerBundle, "x")
        world.client.merge_patch(
            alias.WorkerBundle, world.key("it"), {"spec": {"podTemplate": {"image": BY_HAND[:-2]}}}
        )
        world.until(lambda: bundled(world) == BY_HAND[:-2])
        make(world, WorkerRelease)
        make(world, alias.WorkerRelease)
        world.until(lambda: bool(refusals(world)))
        needs = tuple({need for kind, _ in KINDS for need in world.manager.needs(alias_controller(kind))})

    # That the server is asked for definitions is the manager's affair.
    undeclared = {right for right in compare(needs, recorder.seen).undeclared if "customresource" not in right}
    assert undeclared == set()


def register_aliases(manager: Manager, _registry: FakeRegistry, _bucket: FakeBucket, settings: WorkersSettings) -> None:
    """Alone: what the controllers of the canonical kinds may do does not help."""
    for kind, _ in KINDS:
        register_workeralias(manager, settings, kind)
