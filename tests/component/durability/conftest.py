"""Fixtures: a durable server in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.durability.durable_server import DurableServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DurableServer]:
    """Started; whatever is left of it ends with the test."""
    started = DurableServer(tmp_path)
    started.start()
    yield started
    started.stop()
