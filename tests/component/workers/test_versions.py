"""WorkerVersions, of which only the newest counts."""

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerversion import VersionPhase, WorkerVersion, WorkerVersionSpec
from tests.component.workers.world import ACCOUNT, World


def version(world: World, name: str, url: str = "", script: str = "hello") -> None:
    spec = WorkerVersionSpec(accounts=ACCOUNT, scripts=script, url=url or f"hello/{name}")
    world.client.create(WorkerVersion(metadata=world.named(name), spec=spec))


def phase(world: World, name: str) -> VersionPhase | None:
    return world.one(WorkerVersion, name).status.phase


def test_only_the_newest_version_of_a_script_is_applied_also_after_a_restart(world: World) -> None:
    # Made within one second: then the name decides.
    version(world, "v1")
    version(world, "v2")
    world.until(lambda: phase(world, "v1") is VersionPhase.OUTDATED and phase(world, "v2") is VersionPhase.APPLIED)
    found = world.one(WorkerDeployment, "acme.hello")
    assert found.spec.template.script_urls == ["hello/v2"]

    world.restart()
    world.wait_until_looked_at()

    assert world.one(WorkerDeployment, "acme.hello").metadata.generation == found.metadata.generation


def test_an_upload_that_came_later_is_not_undone(world: World) -> None:
    world.deploy("hello", "uploaded")
    later = {"metadata": {"annotations": {"api.cf-worker/uploaded-at": "2999-01-01T00:00:00Z"}}}
    world.client.merge_patch(WorkerDeployment, world.key("acme.hello"), later)

    version(world, "v1")

    world.until(lambda: phase(world, "v1") is VersionPhase.APPLIED)
    assert world.one(WorkerDeployment, "acme.hello").spec.template.script_urls[0].endswith("/uploaded")


def test_a_version_takes_a_pin_off_and_keeps_the_rest_of_the_template(world: World) -> None:
    world.deploy("hello", "a", mainModule="main.js")
    world.client.merge_patch(WorkerDeployment, world.key("acme.hello"), {"spec": {"activeRelease": "x"}})

    version(world, "v1")

    world.until(lambda: phase(world, "v1") is VersionPhase.APPLIED)
    spec = world.one(WorkerDeployment, "acme.hello").spec
    assert (spec.active_release, spec.template.main_module) == ("", "main.js")
    assert spec.template.script_urls == ["hello/v1"]


def test_a_version_that_is_not_valid_makes_nothing(world: World) -> None:
    version(world, "bad", script="Not A Script")
    version(world, "worse", url="http://example.com/x")

    world.until(lambda: {phase(world, "bad"), phase(world, "worse")} == {VersionPhase.INVALID})

    assert world.client.list(WorkerDeployment) == []
