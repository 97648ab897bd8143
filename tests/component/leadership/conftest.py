from collections.abc import Iterator

import pytest

from tests.component.leadership.world import World


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.end()
