"""Scenarios 11, 12, 15 and 29 with the binary, the control plane and all tools real."""

from pathlib import Path

import pytest

from apis.batch.v1 import Job
from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.coordination.v1 import Lease
from apis.events.v1 import Event
from apis.meta import Key
from framework.testing.control_plane.ports import free_port
from tests.cluster import Cluster
from tests.component.cfapi.wrangler import Wrangler
from tests.integration.workers_e2e.world import ACCOUNT, World

# Each runs wrangler several times, and builds.
pytestmark = pytest.mark.timeout(600)
BAD_INPUT = 42
LEASE = "workers-of-the-test"
_READER = 'export default { fetch(request, env) { return new Response("%s " + env.TOKEN); } };'
# wrangler looks at the syntax itself.
_THROWING = 'throw new Error("not today"); export default { fetch() {} };'
_BROKEN = "export default { fetch() { return new Response(; } };"


def deploy(world: World, wrangler: Wrangler, script: str) -> None:
    wrangler("deploy")
    world.wait_served(script, world.deployment(script).spec.template.version_id)


def why_not_available(world: World, script: str) -> str:
    conditions = world.deployment(script).status.conditions
    return next((each.reason for each in conditions if each.type == "Available" and each.status == "False"), "")


def test_a_broken_script_is_refused_and_leaves_what_serves_with_the_secrets_of_each(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    with World(control_plane, namespace, tmp_path) as world:
        projects = {script: world.wrangler(script) for script in ("x", "y")}
        for script, wrangler in projects.items():
            wrangler.write(script, _READER % "one")
            wrangler("deploy")
            wrangler("secret", "put", "TOKEN", stdin=f"token of {script}")
        world.wait(lambda: is_whole(world), "the secrets are not in what is served")
        assert world.answers() == {"x": "one token of x", "y": "one token of y"}

        stored, releases = world.stored, len(world.client.list(WorkerRelease, namespace))
        projects["x"].write("x", _THROWING)
        said = projects["x"]("deploy", code=1)
        assert "10021" in said
        assert (world.stored, len(world.client.list(WorkerRelease, namespace))) == (stored, releases)

        world.storage.put("by-hand/x/index.js", _BROKEN)
        by_hand = {"scriptUrls": ["by-hand/x"], "versionId": ""}
        patch = {"spec": {"template": by_hand, "activeRelease": ""}}
        world.client.merge_patch(WorkerDeployment, world.deployment("x").key, patch)
        world.wait(lambda: why_not_available(world, "x") == "ReleaseFailed", "the broken release has not failed")
        world.storage.client.delete_object(Bucket="scripts", Key="by-hand/x/index.js")
        assert [each.exit_code for each in world.kubelet.ended if each.exit_code] == [BAD_INPUT]
        phases = [each.status.phase for each in world.client.list(WorkerRelease, namespace)]
        assert phases.count(ReleasePhase.FAILED) == 1

        projects["y"].write("y", _READER % "two")
        deploy(world, projects["y"], "y")
        assert world.answers() == {"x": "one token of x", "y": "two token of y"}


def is_whole(world: World) -> bool:
    if not world.is_anything_deployed:
        return False
    return set(world.served.variables) == {"X_TOKEN", "Y_TOKEN"} and len(world.served.ports) == len("xy")


def test_a_storage_that_is_down_has_more_jobs_until_there_were_enough_and_blames_no_release(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    down = f"-s3-endpoint=http://127.0.0.1:{free_port()}"
    flags = ("-leader-elect=false", "-build-attempts=2", "-build-retry=1s", down)
    with World(control_plane, namespace, tmp_path, flags) as world:
        once = {"spec": {"builder": {"backoffLimit": 0}}}
        world.client.merge_patch(WorkerAccount, Key(namespace, ACCOUNT), once)
        wrangler = world.wrangler("hello")
        wrangler.answers("hello", "one")
        wrangler("deploy")

        world.wait(lambda: builds(world, namespace) == [(BuildPhase.FAILED, 2)], "the build goes on")

        (release,) = world.client.list(WorkerRelease, namespace)
        (build,) = world.client.list(JobBuilder, namespace)
        assert release.status.phase is not ReleasePhase.FAILED
        assert build.status.failed_scripts == []
        assert [each.reason for each in build.status.conditions if each.type == "Built"] == ["TooManyAttempts"]
        assert [each.exit_code for each in world.kubelet.ended] == [1, 1]


def builds(world: World, namespace: str) -> list[tuple[BuildPhase | None, int]]:
    return [(each.status.phase, each.status.attempts) for each in world.client.list(JobBuilder, namespace)]


def test_the_next_leader_finishes_a_build_and_the_bundle_is_updated_once(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    durations = ("-lease-duration=3s", "-lease-renew-deadline=2s", "-lease-retry-period=500ms")
    flags = ("-leader-elect=true", f"-lease-name={LEASE}", f"-peerpods-namespace={namespace}", *durations)
    with World(control_plane, namespace, tmp_path, flags) as world:
        world.wait(lambda: any(world.client.list(Lease, namespace)), "nobody leads")
        world.start_another_manager()
        wrangler = world.wrangler("hello")
        wrangler.answers("hello", "one")
        world.kubelet.pause()
        wrangler("deploy")
        world.wait(lambda: any(world.client.list(Job, namespace)), "nothing is built")
        leader = holder(world, namespace)

        world.managers[0].kill()
        world.wait(lambda: holder(world, namespace) not in {"", None, leader}, "nobody else leads")
        world.kubelet.resume()

        world.wait_served("hello", world.deployment("hello").spec.template.version_id)
        assert world.answers() == {"hello": "one"}
        # One when it was made, and one with the image.
        assert world.bundle.metadata.generation == 1 + 1
        told = [each for each in world.client.list(Event, namespace) if each.reason == "BundleUpdated"]
        assert len(told) <= 1
        assert len(world.client.list(JobBuilder, namespace)) == 1


def holder(world: World, namespace: str) -> str | None:
    return world.client.get(Lease, Key(namespace, LEASE)).spec.holder_identity
