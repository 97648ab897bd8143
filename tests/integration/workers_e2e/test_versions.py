"""Scenarios 3 and 4 with the binary, the control plane and all tools real."""

from pathlib import Path

import pytest

from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.meta import Key
from tests.cluster import Cluster
from tests.integration.workers_e2e.world import World

pytestmark = pytest.mark.timeout(600)


def test_a_version_that_is_uploaded_waits_until_it_is_deployed(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    with World(control_plane, namespace, tmp_path) as world:
        wrangler = world.wrangler("hello")
        wrangler.answers("hello", "one")
        wrangler("deploy")
        first = world.deployment("hello").spec.template.version_id
        world.wait_served("hello", first)
        served, builds = world.served.image, len(world.client.list(JobBuilder, namespace))

        wrangler.answers("hello", "two")
        wrangler("versions", "upload")
        second = world.deployment("hello").spec.template.version_id
        latest = world.deployment("hello").status.latest_release
        world.wait(lambda: phase_of(world, namespace, latest) is ReleasePhase.PENDING, "the release is not pending")
        assert (world.serving_version("hello"), world.served.image) == (first, served)
        assert len(world.client.list(JobBuilder, namespace)) == builds

        wrangler("versions", "deploy", f"{second}@100%", "--yes")
        world.wait_served("hello", second)
        assert world.answers() == {"hello": "two"}


def phase_of(world: World, namespace: str, name: str) -> ReleasePhase | None:
    return world.client.get(WorkerRelease, Key(namespace, name)).status.phase


def test_scripts_keep_their_ports_and_one_process_answers_on_all_of_them(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    with World(control_plane, namespace, tmp_path) as world:
        for script in ("b", "c"):
            deploy(world, script)
        assert ports(world) == {"b": 8080, "c": 8081}

        deploy(world, "a")
        assert ports(world) == {"a": 8082, "b": 8080, "c": 8081}
        world.wrangler("b")("delete", "--force")
        world.wait(lambda: "b" not in ports(world), "b is still served")
        deploy(world, "d")

        assert ports(world) == {"a": 8082, "c": 8081, "d": 8080}
        assert world.answers() == {script: f"I am {script}" for script in "acd"}


def deploy(world: World, script: str) -> None:
    wrangler = world.wrangler(script)
    wrangler.answers(script, f"I am {script}")
    wrangler("deploy")
    world.wait_served(script, world.deployment(script).spec.template.version_id)


def ports(world: World) -> dict[str, int]:
    return {each.worker_name: each.worker_number for each in world.bundle.spec.workers}
