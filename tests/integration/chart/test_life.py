"""The life of a release on a real control plane."""

import pytest

from tests.integration.chart.conftest import Life
from tests.integration.chart.release import Release

pytestmark = pytest.mark.xdist_group("chart")


def test_release_is_installed_upgraded_and_rolled_back(life: Life) -> None:
    assert life.history == [(1, "superseded"), (2, "superseded"), (3, "deployed")]
    assert life.replicas == [1, 2, 1]
    assert {
        "Deployment/windlass-system/windlass-director",
        "Deployment/windlass-system/windlass-manager",
    } <= life.installed


def test_uninstalled_release_leaves_exactly_its_definitions(life: Life) -> None:
    definitions = {name for name in life.installed - life.before if name.startswith("CustomResourceDefinition/")}

    assert len(definitions) > 10
    assert life.after - life.before == definitions
    assert life.before - life.after == frozenset()


def test_tests_of_the_release_succeed(live: Release) -> None:
    said = live.test()

    assert said.count("Phase:          Succeeded") >= 3
