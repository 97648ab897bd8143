"""A worker on a cluster is asked what it did."""

import re

from framework.testing.control_plane.ports import free_port
from tests.integration.requeststate.objects import Objects
from tests.integration.requeststate.processes import Windlass


def test_worker_explains_the_request_that_it_worked_on(windlass: Windlass, objects: Objects) -> None:
    address = f"127.0.0.1:{free_port()}"
    windlass.worker("-job-duration=0", f"-debug-bind-address={address}")
    created = objects.create("first")
    done = objects.wait_for("first", lambda one: one.spec.state == "COMPLETED")

    asked = windlass.start_bare("explain", "reqstate", f"{objects.namespace}/first", f"-address={address}")

    assert asked.wait() == 0
    status = f"requeststates.com.redhat.ecosystem.sample/status {objects.namespace}/first"
    what = f"requeststates.com.redhat.ecosystem.sample {objects.namespace}/first"
    assert f"why     {what} was created: version {created.metadata.resource_version}\n" in asked.stdout
    assert f"cache   {what}: version {created.metadata.resource_version}\n" in asked.stdout
    assert f"wrote   patch {status}: version {created.metadata.resource_version} → " in asked.stdout
    assert re.search(rf"patch {what}: version \d+ → {done.metadata.resource_version}\n", asked.stdout)
