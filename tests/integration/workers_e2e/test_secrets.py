"""Scenario 10 with the binary, the control plane and all tools real: where the values of secrets are, and are not."""

import json
from pathlib import Path

import pytest

from apis.batch.v1 import Job
from tests.cluster import Cluster
from tests.integration.workers_e2e.traces import places_of
from tests.integration.workers_e2e.world import World

_READER = """
export default {
  fetch(request, env) { return new Response(`${env.API_KEY} ${env.OTHER} ${env.THIRD}`); },
};
"""
_FIRST, _SECOND, _OTHER, _THIRD = "canary-first", "canary-second", "canary-other", "canary-third"


def wait_for(world: World, *names: str) -> None:
    """Until pods and image know of these secrets, and of no others."""

    def look() -> bool:
        if not world.is_anything_deployed or set(world.served.variables) != {f"HELLO_{name}" for name in names}:
            return False
        config = (world.unpacked() / "worker" / "config.capnp").read_text()
        return config.count("fromEnvironment") == len(names)

    world.wait(look, f"{names} are not what is served")


@pytest.mark.timeout(600)
def test_values_are_in_the_secret_and_in_the_variables_of_pods_and_nowhere_else(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    with World(control_plane, namespace, tmp_path) as world:
        wrangler = world.wrangler("hello")
        wrangler.write("hello", _READER)
        wrangler("deploy")
        wrangler("secret", "put", "API_KEY", stdin=_FIRST)
        wait_for(world, "API_KEY")
        assert world.answers() == {"hello": f"{_FIRST} undefined undefined"}

        # Another value is for other pods, and for no other image.
        before, template, jobs = world.served.image, world.pod_template, len(world.client.list(Job, namespace))
        wrangler("secret", "put", "API_KEY", stdin=_SECOND)
        world.wait(lambda: world.pod_template != template, "the pods keep the value that they had")
        assert (world.served.image, len(world.client.list(Job, namespace))) == (before, jobs)

        # Other keys are another image.
        wrangler("secret", "bulk", stdin=json.dumps({"OTHER": _OTHER, "THIRD": _THIRD}))
        wait_for(world, "API_KEY", "OTHER", "THIRD")
        assert world.answers() == {"hello": f"{_SECOND} {_OTHER} {_THIRD}"}
        assert {each["name"] for each in json.loads(wrangler("secret", "list"))} == {"API_KEY", "OTHER", "THIRD"}

        assert places_of(world, namespace, _FIRST, _SECOND, _OTHER, _THIRD) == []
        # The search does find what is there.
        assert any("s3 " in place for place in places_of(world, namespace, "env.API_KEY"))
        assert any("/jobs" in place for place in places_of(world, namespace, "download-files"))

        wrangler("secret", "delete", "OTHER", stdin="y\n")
        wait_for(world, "API_KEY", "THIRD")
        assert world.answers() == {"hello": f"{_SECOND} undefined {_THIRD}"}
