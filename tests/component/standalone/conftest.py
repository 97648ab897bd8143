"""Fixtures: the console script in its standalone mode, as a process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.requeststate.processes import Windlass


@pytest.fixture
def windlass(tmp_path: Path) -> Iterator[Windlass]:
    started = Windlass(tmp_path, tmp_path / "none", "default")
    yield started
    started.end()
