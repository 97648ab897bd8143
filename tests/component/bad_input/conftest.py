"""One server for all requests that want to break it."""

from collections.abc import Iterator

import pytest

from tests.component.bad_input.server_process import ServerProcess
from tests.component.fuzz.rich_definition import DEFINITION
from tests.conformance.api import Api
from tests.conformance.kinds import DEFINITIONS

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server")) as process:
        api = process.api()
        for definition in (*DEFINITIONS, DEFINITION):
            assert api.create(_DEFINITIONS, definition).status == 201
        assert api.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "there"}}).status == 201
        api.close()
        yield process
    assert "Traceback" not in process.log


@pytest.fixture
def api(server: ServerProcess) -> Iterator[Api]:
    connected = server.api()
    yield connected
    connected.close()
