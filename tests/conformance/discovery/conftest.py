from collections.abc import Iterator

import pytest

from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.conformance.api import Api
from tests.conformance.discovery.served import ServedDocuments
from tests.unit.framework.apiserver.resources import builtin, custom, requeststate_definition

GROUP = "com.redhat.ecosystem.sample"


@pytest.fixture(scope="package")
def served() -> Iterator[ServedDocuments]:
    definition = requeststate_definition()
    with ServedDocuments([*builtin(), *custom(definition)], [definition]) as started:
        yield started


@pytest.fixture(scope="package")
def real(control_plane: ControlPlane) -> Iterator[Api]:
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    api = Api("real", control_plane.url, ca_file=control_plane.ca_file, headers=headers)
    # Schemas of custom resources are published some time after the resources are served, in each version at its own.
    assert wait_until(lambda: _has_requeststates(api), limit_seconds=60)
    yield api
    api.close()


def _has_requeststates(api: Api) -> bool:
    return all(b"RequestState" in api.get(path).body for path in (f"/openapi/v3/apis/{GROUP}/v1", "/openapi/v2"))
