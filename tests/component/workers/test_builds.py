"""From what an account composes to one image in its bundle."""

from datetime import timedelta

import pytest

from apis.apps.v1 import Deployment
from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import BuildPhase, JobBuilder, JobBuilderSpec
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import BundlePod, WorkerBundle, WorkerBundleSpec
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease, WorkerReleaseSpec
from apis.core.v1 import ConfigMap, Secret
from controllers.workers.plan import BuildPlan
from framework.errors import Invalid
from tests.component.workers.world import ACCOUNT, SETTINGS, World, digest_of


def ports(world: World) -> dict[str, int]:
    return {each.worker_name: each.worker_number for each in world.one(WorkerBundle, ACCOUNT).spec.workers}


def build_of(world: World) -> JobBuilder:
    """That of what the account wants now; the account names it a moment before it makes it."""
    found: list[JobBuilder] = []

    def look() -> bool:
        name = world.one(WorkerAccount, ACCOUNT).status.job_builder
        found[:] = [each for each in world.client.list(JobBuilder, world.namespace) if each.metadata.name == name]
        return bool(found)

    world.until(look)
    return found[0]


def excluded(world: World) -> list[tuple[str, str]]:
    return [(each.script_name, each.reason) for each in world.one(WorkerAccount, ACCOUNT).status.excluded]


def secrets_version(world: World) -> str:
    metadata = world.content(Deployment, "acme-depl")["spec"]["template"]["metadata"]
    return str(metadata["annotations"]["api.cf-worker/secrets-version"])


def plan_of(world: World) -> BuildPlan:
    text = world.one(ConfigMap, f"{build_of(world).metadata.name}-plan").data["plan.json"]
    return BuildPlan.decode(text.encode())


def test_a_script_keeps_its_port_and_a_free_one_is_used_again(world: World) -> None:
    world.account()
    world.deploy("b", "v1")
    world.deploy("c", "v1")
    world.until(lambda: set(world.one(WorkerAccount, ACCOUNT).status.ports) == {"b", "c"})
    world.serve()
    assert ports(world) == {"b": 8080, "c": 8081}

    world.deploy("a", "v1")
    world.until(lambda: "a" in world.one(WorkerAccount, ACCOUNT).status.ports)
    world.serve()
    assert ports(world) == {"a": 8082, "b": 8080, "c": 8081}

    world.client.delete(WorkerDeployment, world.key("acme.b"))
    # Nobody collects garbage here.
    for release in world.releases("b"):
        world.client.delete(WorkerRelease, release.key)
    world.until(lambda: "b" not in world.one(WorkerAccount, ACCOUNT).status.ports)
    world.serve()
    world.deploy("d", "v1")
    world.until(lambda: "d" in world.one(WorkerAccount, ACCOUNT).status.ports)
    world.serve()
    assert ports(world) == {"a": 8082, "c": 8081, "d": 8080}


def test_a_burst_of_uploads_is_one_build_and_another_upload_overtakes_it(world: World) -> None:
    for number in range(5):
        world.deploy(f"s{number}", "v1")
    world.until(lambda: sum(len(world.releases(f"s{number}")) for number in range(5)) == 5)
    world.account()
    first = world.wait_for_job()
    overtaken = build_of(world).metadata.name
    assert len(world.one(JobBuilder, overtaken).spec.workers) == 5

    world.deploy("s0", "v2")
    world.until(lambda: world.one(JobBuilder, overtaken).status.phase is BuildPhase.SUPERSEDED)
    world.until(lambda: world.get(Job, first.metadata.name) is None)
    world.serve()

    bundle = world.one(WorkerBundle, ACCOUNT)
    assert build_of(world).spec.target_image in bundle.spec.pod_template.image
    assert len(world.client.list(JobBuilder)) == 2


def test_what_the_bundle_had_is_served_again_without_a_build(world: World) -> None:
    world.account(imageHistoryLimit=5)
    world.deploy("hello", "v1")
    world.serve()
    first = build_of(world)
    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != first.metadata.name)
    world.serve()
    jobs = {each.metadata.uid for each in world.client.list(Job)}

    world.deploy("hello", "v1")
    world.until(lambda: first.spec.target_image in world.one(WorkerBundle, ACCOUNT).spec.pod_template.image)

    assert {each.metadata.uid for each in world.client.list(Job)} <= jobs
    assert world.one(JobBuilder, first.metadata.name).status.phase is BuildPhase.SUCCEEDED


def test_a_script_that_cannot_be_built_leaves_the_others_and_its_last_good_release_alone(world: World) -> None:
    world.account()
    world.deploy("x", "v1")
    world.deploy("y", "v1")
    world.until(lambda: set(world.one(WorkerAccount, ACCOUNT).status.ports) == {"x", "y"})
    world.serve()
    served = build_of(world).metadata.name
    name = world.deploy("x", "broken")
    world.until(lambda: build_of(world).metadata.name != served)

    world.refuse(world.wait_for_job(), x="Uncaught SyntaxError")

    world.until(lambda: world.condition(WorkerDeployment, name, "Available") == ("False", "ReleaseFailed"))
    good, bad = world.releases("x")
    assert (bad.status.phase, "SyntaxError" in bad.status.message) == (ReleasePhase.FAILED, True)
    world.until(lambda: build_of(world).metadata.name == served)
    world.until(lambda: excluded(world) == [("x", "ReleaseFailed")])
    world.until(lambda: world.one(WorkerDeployment, name).status.serving_release == good.metadata.name)

    world.deploy("y", "v2")
    world.until(lambda: build_of(world).metadata.name != served)
    world.serve()
    rows = {each.script_name: each.serving_release for each in world.one(WorkerAccount, ACCOUNT).status.workers}
    assert rows["x"] == good.metadata.name


def test_a_failed_release_is_tried_again_when_somebody_asks_for_it(world: World) -> None:
    world.account()
    world.deploy("x", "v1")
    world.refuse(world.wait_for_job(), x="no")
    world.until(lambda: world.releases("x")[0].status.phase is ReleasePhase.FAILED)
    (release,) = world.releases("x")

    retry = {"metadata": {"annotations": {"api.cf-worker/retry": "1"}}}
    world.client.merge_patch(WorkerRelease, release.key, retry)
    world.serve()

    world.until(lambda: world.releases("x")[0].status.phase is ReleasePhase.ACTIVE)


def test_a_failure_outside_of_the_scripts_is_tried_again_until_there_were_enough(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    seen: set[str] = set()
    for number in range(1, SETTINGS.build_attempts):
        job = next_job(world, seen)
        # So long ago that the wait for the next one is over.
        world.fail(job, ago=timedelta(hours=2))
        world.until(lambda: build_of(world).status.attempts == number)  # noqa: B023 - asked at once
    world.fail(next_job(world, seen))

    world.until(lambda: build_of(world).status.phase is BuildPhase.FAILED)

    status = build_of(world).status
    assert (status.attempts, status.failed_scripts) == (SETTINGS.build_attempts, [])
    assert world.condition(JobBuilder, build_of(world).metadata.name, "Built") == ("False", "TooManyAttempts")
    assert world.releases("hello")[0].status.phase is not ReleasePhase.FAILED
    assert len(seen) == SETTINGS.build_attempts


def next_job(world: World, seen: set[str]) -> Job:
    found: list[Job] = []

    def look() -> bool:
        found[:] = [each for each in world.client.list(Job) if each.metadata.uid not in seen]
        return bool(found)

    world.until(look)
    seen.add(found[0].metadata.uid)
    return found[0]


def test_a_failure_waits_before_the_next_try(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    job = world.wait_for_job()

    world.fail(job)
    world.until(lambda: build_of(world).status.attempts == 1)

    assert build_of(world).status.phase is BuildPhase.BUILDING
    assert world.one(Job, job.metadata.name).metadata.uid == job.metadata.uid


def test_secrets_become_variables_and_a_new_key_is_a_new_build(world: World) -> None:
    world.account()
    world.deploy("hello", "v1", secretRef="hello-secrets")
    world.until(lambda: world.condition(WorkerAccount, ACCOUNT, "Composed") == ("True", "SecretMissing"))
    metadata = world.named("hello-secrets")
    world.client.create(Secret(metadata=metadata, data={"API_KEY": b"hush"}))
    world.until(lambda: [each.name for each in build_of(world).spec.workers[0].bindings] == ["API_KEY"])

    world.serve()

    (row,) = plan_of(world).workers
    assert [(each.kind, each.value) for each in row.bindings] == [("env", "HELLO_API_KEY")]
    template = world.content(Deployment, "acme-depl")["spec"]["template"]
    (container,) = template["spec"]["containers"]
    assert container["envFrom"] == [{"prefix": "HELLO_", "secretRef": {"name": "hello-secrets", "optional": True}}]


def test_a_new_value_of_a_secret_is_rolled_out_and_not_built(world: World) -> None:
    metadata = world.named("hello-secrets")
    world.client.create(Secret(metadata=metadata, data={"API_KEY": b"hush"}))
    world.account()
    world.deploy("hello", "v1", secretRef="hello-secrets")
    world.serve()
    build, before = build_of(world).metadata.name, secrets_version(world)

    world.client.merge_patch(Secret, world.key("hello-secrets"), {"data": {"API_KEY": "bmV3"}})

    world.until(lambda: secrets_version(world) != before)
    assert build_of(world).metadata.name == build


def test_an_account_form_is_composed_and_composed_anew_when_it_is_patched(world: World) -> None:
    world.account()
    spec = WorkerReleaseSpec(accounts=ACCOUNT, worker_versions={"one": "s3://scripts/one/1"})
    world.client.create(WorkerRelease(metadata=world.named("all"), spec=spec))
    world.serve()
    before = build_of(world).metadata.name

    world.client.merge_patch(
        WorkerRelease, world.key("all"), {"spec": {"workerVersions": {"two": "s3://scripts/two/1"}}}
    )
    world.until(lambda: build_of(world).metadata.name != before)
    world.serve()

    assert ports(world) == {"one": 8080, "two": 8081}


def test_the_release_of_a_script_cannot_be_changed(world: World) -> None:
    world.deploy("hello", "v1")
    world.until(lambda: len(world.releases("hello")) == 1)

    with pytest.raises(Invalid, match="never changes"):
        world.client.merge_patch(WorkerRelease, world.releases("hello")[0].key, {"spec": {"versionId": "x"}})


def test_a_build_that_stands_alone_fills_its_bundle_once_and_keeps_the_pull_secret(world: World) -> None:
    spec = JobBuilderSpec(
        script_urls=["one/1", "two/1"],
        script_names=["one", "two"],
        target_image="registry.test:5000/alone:1",
        worker_bundle_name="alone",
    )
    world.client.create(JobBuilder(metadata=world.named("alone"), spec=spec))
    world.complete(world.wait_for_job())
    world.until(lambda: world.condition(JobBuilder, "alone", "BundleUpdated") == ("False", "BundleNotFound"))

    pod = BundlePod(image_pull_secret="pull")
    bundle = WorkerBundleSpec(deployment_name="alone", pod_template=pod)
    world.client.create(WorkerBundle(metadata=world.named("alone"), spec=bundle))

    world.until(lambda: world.condition(JobBuilder, "alone", "BundleUpdated") == ("True", "BundleUpdated"))
    found = world.one(WorkerBundle, "alone").spec
    assert [(each.worker_name, each.worker_number) for each in found.workers] == [("one", 8080), ("two", 8081)]
    assert found.pod_template.image_pull_secret == "pull"
    assert found.pod_template.image.endswith(digest_of("registry.test:5000/alone:1"))


@pytest.mark.parametrize(
    ("names", "image", "reason"),
    [
        (["a", "a"], "registry.test/x:1", "DuplicateScript"),
        (["a", "b"], "registry.test/X:1", "InvalidImage"),
        (["a", "B"], "registry.test/x:1", "InvalidScriptName"),
    ],
)
def test_a_build_of_bad_input_fails_with_its_reason(world: World, names: list[str], image: str, reason: str) -> None:
    spec = JobBuilderSpec(script_urls=["u/1", "u/2"], script_names=names, target_image=image, worker_bundle_name="b")
    world.client.create(JobBuilder(metadata=world.named("bad"), spec=spec))

    world.until(lambda: world.condition(JobBuilder, "bad", "Built") == ("False", reason))

    assert world.one(JobBuilder, "bad").status.phase is BuildPhase.FAILED
    assert world.client.list(Job) == []


@pytest.mark.parametrize("message", ["{digest}\n", '{{"ok": true, "digest": "{digest}"}}'])
def test_the_digest_is_what_the_builder_leaves_behind_bare_or_in_a_report(world: World, message: str) -> None:
    digest = digest_of("what was pushed")
    spec = JobBuilderSpec(
        script_urls=["one/1"], script_names=["one"], target_image="r.test/x:1", worker_bundle_name="b"
    )
    world.client.create(JobBuilder(metadata=world.named("alone"), spec=spec))

    world.complete_saying(world.wait_for_job(), message.format(digest=digest))

    world.until(lambda: world.one(JobBuilder, "alone").status.phase is BuildPhase.SUCCEEDED)
    assert world.one(JobBuilder, "alone").status.image == f"r.test/x:1@{digest}"


def test_a_finished_build_is_not_run_again_when_its_job_is_gone(world: World) -> None:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    for job in world.client.list(Job):
        world.client.delete(Job, job.key)
    world.until(lambda: world.client.list(Job) == [])
    world.wait_until_looked_at()
    before = world.versions()

    world.restart()
    world.wait_until_looked_at()

    assert world.versions() == before


def test_two_accounts_cannot_have_one_bundle(world: World) -> None:
    world.account()
    world.until(lambda: world.get(WorkerBundle, ACCOUNT) is not None)

    world.account("other", workerBundleName=ACCOUNT)

    world.until(lambda: world.condition(WorkerAccount, "other", "Ready") == ("False", "BundleConflict"))


def test_a_selector_that_is_none_is_reported(world: World) -> None:
    bad = {"matchExpressions": [{"key": "a", "operator": "Matches", "values": ["b"]}]}

    world.account(workerReleaseSelector=bad)

    world.until(lambda: world.condition(WorkerAccount, ACCOUNT, "Composed") == ("False", "InvalidSelector"))
