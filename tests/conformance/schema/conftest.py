"""The real server, and definitions on it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from framework.testing.control_plane import ControlPlane
from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.schema.definition import GROUP, VERSION

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
Define = Callable[[Any], str]


@pytest.fixture(scope="module")
def server(control_plane: ControlPlane) -> Iterator[Api]:
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    api = Api("real", control_plane.url, ca_file=control_plane.ca_file, headers=headers)
    yield api
    api.close()


@pytest.fixture(scope="module")
def define(server: Api) -> Iterator[Define]:
    """Creates a definition, waits until it is served, and returns the path of its resources."""
    made = []

    def create(definition: Any) -> str:
        reply = server.create(DEFINITIONS, definition)
        assert reply.status == 201, reply.body
        made.append(definition["metadata"]["name"])
        path = f"/apis/{GROUP}/{VERSION}/{definition['spec']['names']['plural']}"
        eventually(lambda: server.get(path).status, lambda status: status == 200)
        return path

    yield create
    for name in made:
        server.delete(f"{DEFINITIONS}/{name}")
