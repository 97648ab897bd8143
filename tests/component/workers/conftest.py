from collections.abc import Iterator

import pytest

from tests.component.workers.world import World, world_of


@pytest.fixture
def world() -> Iterator[World]:
    with world_of() as made:
        yield made
