"""The two servers that programs run on.

Neither has controllers: what they do later would make the answers depend on the moment.
"""

from collections.abc import Iterator

import pytest

from framework.apiserver.server import ApiServer
from framework.testing.control_plane import ControlPlane
from tests.conformance.api import MERGE, Api
from tests.conformance.conftest import install
from tests.conformance.kinds import DEFINITIONS
from tests.conformance.programs.in_process import InProcessApi
from tests.conformance.programs.masking import FIRST_VERSION
from tests.conformance.programs.pair import Pair
from tests.conformance.programs.side import Server

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="session")
def pair(second_control_plane: ControlPlane) -> Iterator[Pair]:
    headers = {"Authorization": f"Bearer {second_control_plane.token}"}
    real = Api("real", second_control_plane.url, ca_file=second_control_plane.ca_file, headers=headers)
    server = ApiServer()
    embedded = InProcessApi(server)
    install(real)
    for definition in DEFINITIONS:
        assert embedded.request("POST", _DEFINITIONS, definition).status == 201
    for api in (embedded, real):
        _write_until_versions_have_four_digits(api)
    both = Pair(embedded, real)
    yield both
    both.close()
    real.close()
    server.close()


def _write_until_versions_have_four_digits(server: Server) -> None:
    path, version = "/api/v1/namespaces/default/configmaps", 0
    server.request("POST", path, {"metadata": {"name": "count"}})
    while version < FIRST_VERSION:
        patch = {"data": {"version": str(version)}}
        reply = server.request("PATCH", f"{path}/count", patch, content_type=MERGE)
        version = int(reply.document["metadata"]["resourceVersion"])
