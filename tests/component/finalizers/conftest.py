import pytest

from tests.component.apply.stage import Stage


@pytest.fixture
def stage() -> Stage:
    return Stage()
