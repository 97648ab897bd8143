from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.testing.control_plane import ControlPlane
from framework.testing.replay import CONTROLLERS


@pytest.fixture(scope="session")
def replay_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """With the controllers that the simulation has too, and no more."""
    folder = tmp_path_factory.mktemp("replay-plane")
    with ControlPlane(binaries, folder, controller_manager=True, controllers=CONTROLLERS) as started:
        yield started
