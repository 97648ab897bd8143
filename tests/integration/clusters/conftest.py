"""Two real API servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.testing.control_plane import ControlPlane
from tests.component.clusters.world import World


@pytest.fixture
def world(control_plane: ControlPlane, second_control_plane: ControlPlane, tmp_path: Path) -> Iterator[World]:
    with World(control_plane, second_control_plane, tmp_path) as made:
        yield made
