from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[EventDict]]:
    """What is logged, kept from the terminal."""
    with capture_logs() as captured:
        yield captured
