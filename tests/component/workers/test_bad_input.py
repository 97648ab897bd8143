"""What cannot be served is said where it was asked for, and what serves goes on."""

from typing import Any

import msgspec
import pytest

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.field import WORKERS_LIMIT
from apis.cfworker.jobbuilder import BuildPhase, JobBuilder, JobBuilderSpec
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle, WorkerBundleSpec
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease, WorkerReleaseSpec
from apis.core.v1 import Secret
from framework.errors import Invalid
from tests.component.workers.test_builds import build_of, excluded
from tests.component.workers.world import ACCOUNT, World


def make_bundle(world: World, *workers: dict[str, Any]) -> None:
    content = {"deploymentName": "by-hand", "podTemplate": {"image": "nginx"}, "workers": workers}
    spec = msgspec.convert(content, WorkerBundleSpec)
    world.client.create(WorkerBundle(metadata=world.named("by-hand"), spec=spec))


def alone(**changes: Any) -> JobBuilderSpec:
    spec = JobBuilderSpec(
        script_urls=["one/1"], script_names=["one"], target_image="registry.test:5000/alone:1", worker_bundle_name="b"
    )
    return msgspec.structs.replace(spec, **changes)


@pytest.mark.parametrize(
    ("worker", "reason"),
    [
        ({"workerName": "Not A Script"}, "InvalidScriptName"),
        ({"workerName": "a", "envPrefix": "1-"}, "InvalidEnvPrefix"),
    ],
)
def test_a_bundle_with_a_bad_worker_says_so_and_deploys_nothing(
    world: World, worker: dict[str, Any], reason: str
) -> None:
    make_bundle(world, {"workerNumber": 8080, **worker})

    world.until(lambda: world.condition(WorkerBundle, "by-hand", "Valid") == ("False", reason))

    assert world.client.list(Deployment) == []


def test_two_workers_cannot_have_one_variable_with_two_values(world: World) -> None:
    world.client.create(Secret(metadata=world.named("first"), data={"B_X": b"1"}))
    world.client.create(Secret(metadata=world.named("second"), data={"X": b"2"}))

    make_bundle(
        world,
        {"workerName": "a", "workerNumber": 8080, "envPrefix": "A_", "secretRef": "first"},
        {"workerName": "a-b", "workerNumber": 8081, "envPrefix": "A_B_", "secretRef": "second"},
    )

    world.until(lambda: world.condition(WorkerBundle, "by-hand", "Valid") == ("False", "DuplicateVariable"))


def test_a_secret_that_is_missing_is_told_and_the_pods_start_without_it(world: World) -> None:
    make_bundle(world, {"workerName": "a", "workerNumber": 8080, "secretRef": "absent"})

    world.until(lambda: world.condition(WorkerBundle, "by-hand", "Valid") == ("True", "SecretMissing"))

    world.until(lambda: bool(world.events("SecretMissing")))
    world.until(lambda: world.get(Deployment, "by-hand-depl") is not None)


def test_of_too_many_workers_the_last_are_left_out(world: World) -> None:
    world.account()
    many = {f"s{number:03}": f"s3://scripts/many/{number}" for number in range(WORKERS_LIMIT)}
    spec = WorkerReleaseSpec(accounts=ACCOUNT, worker_versions=many)
    world.client.create(WorkerRelease(metadata=world.named("many"), spec=spec))
    world.deploy("z", "v1")

    world.until(lambda: ("z", "TooManyWorkers") in excluded(world))

    world.until(lambda: len(world.one(WorkerAccount, ACCOUNT).status.ports) == WORKERS_LIMIT)


def test_a_new_account_has_an_empty_bundle_and_runs_nothing(world: World) -> None:
    world.account()

    world.until(lambda: world.condition(WorkerBundle, ACCOUNT, "Deployed") == ("False", "NoWorkers"))

    spec = world.one(WorkerBundle, ACCOUNT).spec
    assert (spec.pod_template.image, spec.workers) == ("", [])
    assert world.client.list(Deployment) == []


def test_pods_that_do_not_get_ready_are_a_failed_roll_out_and_nothing_is_purged(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    first = build_of(world).metadata.name
    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != first)
    world.complete(world.wait_for_job())
    world.until(lambda: world.condition(WorkerBundle, ACCOUNT, "Available") == ("False", "RollingOut"))

    stuck = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    generation = world.one(Deployment, "acme-depl").metadata.generation
    status = {"observedGeneration": generation, "replicas": 2, "updatedReplicas": 1, "conditions": [stuck]}
    world.client.merge_patch(Deployment, world.key("acme-depl"), {"status": status}, subresource="status")

    world.until(lambda: world.condition(WorkerBundle, ACCOUNT, "Available") == ("False", "RolloutFailed"))
    world.until(lambda: bool(world.events("RolloutFailed")))
    assert world.registry.deleted == []


def test_what_is_built_never_changes(world: World) -> None:
    world.client.create(JobBuilder(metadata=world.named("alone"), spec=alone()))

    with pytest.raises(Invalid):
        world.client.merge_patch(JobBuilder, world.key("alone"), {"spec": {"targetImage": "registry.test/other:1"}})


def test_a_build_that_stands_alone_does_not_touch_the_bundle_of_an_account(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    before = world.one(WorkerBundle, ACCOUNT).spec

    world.client.create(JobBuilder(metadata=world.named("alone"), spec=alone(worker_bundle_name=ACCOUNT)))
    world.until(lambda: world.get(Job, "alone-job") is not None)
    world.complete(world.one(Job, "alone-job"))

    refused = ("False", "BundleManagedByAccount")
    world.until(lambda: world.condition(JobBuilder, "alone", "BundleUpdated") == refused)
    assert world.one(WorkerBundle, ACCOUNT).spec == before


def test_a_finished_build_runs_again_when_somebody_asks_for_it(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    build = build_of(world)
    before = {each.metadata.uid for each in world.client.list(Job)}

    again = {"metadata": {"annotations": {"api.cf-worker/rebuild": "1"}}}
    world.client.merge_patch(JobBuilder, build.key, again)

    world.until(lambda: build_of(world).status.rebuild_seen == "1")
    job = world.wait_for_job()
    assert job.metadata.uid not in before
    world.complete(job)
    world.until(lambda: build_of(world).status.phase is BuildPhase.SUCCEEDED)


def test_a_release_of_that_name_with_other_content_is_left_alone(world: World) -> None:
    name = world.deploy("hello", "v1")
    world.until(lambda: len(world.releases("hello")) == 1)
    (release,) = world.releases("hello")
    taken = msgspec.structs.replace(release.spec, script_urls=["s3://scripts/of/others"])
    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"paused": True}})
    paused = world.one(WorkerDeployment, name).metadata.generation
    world.until(lambda: world.one(WorkerDeployment, name).status.observed_generation == paused)
    world.client.delete(WorkerRelease, release.key)
    world.until(lambda: world.releases("hello") == [])
    world.client.create(WorkerRelease(metadata=world.named(release.metadata.name), spec=taken))

    world.client.merge_patch(WorkerDeployment, world.key(name), {"spec": {"paused": False}})

    world.until(lambda: world.one(WorkerDeployment, name).status.collision_count == 1)
    world.until(lambda: world.one(WorkerDeployment, name).status.active_release not in {"", release.metadata.name})
    found = world.one(WorkerRelease, release.metadata.name)
    assert (found.spec.script_urls, found.metadata.owner_references) == (["s3://scripts/of/others"], [])
