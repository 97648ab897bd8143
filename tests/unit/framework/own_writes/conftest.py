from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from tests.unit.framework.own_writes.bench import Bench


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[EventDict]]:
    """What is logged, kept from the terminal."""
    with capture_logs() as captured:
        yield captured


@pytest.fixture
def bench() -> Bench:
    return Bench()
