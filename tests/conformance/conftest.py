"""Every case runs on both servers: the embedded one and the real kube-apiserver."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from framework.apiserver.companions import essential
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.testing.control_plane import ControlPlane
from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.fidelity import SERVERS, FidelityReport, label
from tests.conformance.kinds import DEFINITIONS


@pytest.fixture(scope="session")
def embedded_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    # The real one has neither nodes nor kubelets, so that pods stay as the cases leave them.
    options = EmbeddedOptions(controllers=essential)
    with EmbeddedServer(tmp_path_factory.mktemp("embedded"), options=options) as server:
        api = api_of(server)
        install(api)
        yield api
        api.close()


def api_of(server: EmbeddedServer) -> Api:
    pair = server.client_files("conformance", ("system:masters",))
    compact = server.api.storage.compact
    return Api("embedded", server.url, ca_file=server.ca_file, headers={}, pair=pair, compact=compact)


@pytest.fixture(scope="session")
def real_api(control_plane: ControlPlane) -> Iterator[Api]:
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    compact = control_plane.compact
    api = Api("real", control_plane.url, ca_file=control_plane.ca_file, headers=headers, compact=compact)
    install(api)
    yield api
    api.close()


@pytest.fixture(params=SERVERS)
def api(request: pytest.FixtureRequest) -> Api:
    found: Api = request.getfixturevalue(f"{request.param}_api")
    return found


@pytest.fixture
def namespace(api: Api) -> str:
    """One for the test alone. It stays: to empty it would keep a real server busier than the cases do."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    reply = api.create("/api/v1/namespaces", {"metadata": {"name": name}})
    assert reply.status == 201, reply.body
    return name


def install(api: Api) -> None:
    """Apply the definitions that the cases use, and wait until they are served."""
    for definition in DEFINITIONS:
        name = definition["metadata"]["name"]
        reply = api.apply(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}", definition, "test")
        assert reply.status in {200, 201}, reply.body
    for definition in DEFINITIONS:
        _wait_until_served(api, definition)


def _wait_until_served(api: Api, definition: Any) -> None:
    spec = definition["spec"]
    path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
    eventually(lambda: api.get(path).status, lambda status: status == 200)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "behaviour(*names): which behaviours of the API server the case shows, e.g. B4")
    file = config.getoption("fidelity_report", None)
    if file is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FidelityReport(file.absolute()))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fidelity-report", type=Path, help="write which behaviours held on which server, as JSON")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        label(item)
