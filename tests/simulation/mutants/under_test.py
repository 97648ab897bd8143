"""A pytest plugin: the tests meet a mutant. `pytest -p tests.simulation.mutants.under_test --mutant=NAME …`"""

from contextlib import ExitStack

import pytest

from tests.simulation.mutants.mutant import changed
from tests.simulation.mutants.population import mutant_named

_STACK = pytest.StashKey[ExitStack]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutant", required=True, help="which mutant of tests/simulation/mutants to test")


def pytest_configure(config: pytest.Config) -> None:
    # Before anything is collected: a test that imports what is changed gets the changed one.
    stack = config.stash[_STACK] = ExitStack()
    stack.enter_context(changed(mutant_named(config.getoption("--mutant")).changes))


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_STACK].close()
