import uuid
from collections.abc import Iterator

import pytest

from framework.apiserver.managedfields import SchemaFieldManager, schema_from_json
from framework.testing.control_plane import ControlPlane
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.managedfields.thing import API_VERSION, DEFINITION, GROUP, PLURAL, SCHEMA
from tests.conformance.managedfields.writes import Things
from tests.conformance.patch.real_server import RealServer
from tests.conftest import Kubectl


@pytest.fixture(scope="package")
def server(control_plane: ControlPlane) -> RealServer:
    return RealServer(control_plane)


@pytest.fixture(scope="package")
def namespace_of_things(server: RealServer) -> str:
    name = f"managedfields-{uuid.uuid4().hex[:8]}"
    server.make("/api/v1/namespaces", {"metadata": {"name": name}})
    return name


@pytest.fixture(scope="package")
def things(server: RealServer, kubectl: Kubectl, namespace_of_things: str) -> Iterator[Things]:
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.make(definitions, DEFINITION)
    kubectl("wait", "--for=condition=Established", f"crd/{PLURAL}.{GROUP}", "--timeout=60s", check=True)
    # Served some time after that.
    eventually(lambda: server.ask("GET", f"/apis/{API_VERSION}/{PLURAL}").status, lambda status: status == 200)
    field_manager = SchemaFieldManager(
        schema_from_json(SCHEMA),
        api_version=API_VERSION,
        reset_fields={"": [("status",)], "status": [("metadata",), ("spec",)]},
        is_custom=True,
    )
    yield Things(server, namespace_of_things, field_manager)
    server.ask("DELETE", f"{definitions}/{PLURAL}.{GROUP}")
