"""Scenarios 1, 2, 5, 10, 18, 19 and 21 in one walk, with the binary, the control plane and all tools real."""

from pathlib import Path

import msgspec
import pytest

from tests.cluster import Cluster
from tests.integration.workers_e2e.story import SECRET, tell
from tests.integration.workers_e2e.world import TOKEN, World


# Some twenty runs of wrangler and five builds.
@pytest.mark.timeout(900)
def test_wrangler_deploy_ends_in_an_answer_and_delete_in_nothing(
    control_plane: Cluster, namespace: str, tmp_path: Path
) -> None:
    with World(control_plane, namespace, tmp_path) as world:
        tell(world, print)

        events = msgspec.json.encode(world.client.raw_get(f"/api/v1/namespaces/{namespace}/events")).decode()
        said = world.log("manager") + world.log("cf-api") + world.kubelet.output + events

    assert SECRET not in said
    assert TOKEN not in said
