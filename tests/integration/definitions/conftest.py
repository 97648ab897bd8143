from collections.abc import Iterator

import pytest

from framework.client import Client
from framework.testing.control_plane import ControlPlane
from tests.component.definitions.watching import Watching


@pytest.fixture
def watching(client: Client, control_plane: ControlPlane) -> Iterator[Watching]:
    with Watching(client, control_plane.kubeconfig) as made:
        yield made
