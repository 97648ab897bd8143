import pytest

from tests.component.peerpod.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage()
