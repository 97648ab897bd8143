"""Each mutant of `mutants/of_oracles.py` is caught by its oracle; what it is made from is not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from framework.testing.simulation import Scenario, Simulation, SimulationFailed
from tests.simulation.mutants.mutant import Mutant, hunt
from tests.simulation.mutants.of_oracles import MUTANTS, hurried, with_account

# Every so many plans: all of them take their time.
STRIDE = 4
ORACLES = {
    "whole-object-written-back": "O3",
    "cache-misses-deletion": "O4",
    "cache-changed": "O4",
    "polls-the-server": "O7",
    "secret-in-error": "O9",
    "replicas-at-birth": "acto",
    "default-of-the-first-spec": "acto",
}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_mutant_is_caught_by_its_oracle(mutant: Mutant, tmp_path: Path) -> None:
    finding = hunt(mutant, tmp_path)

    assert finding is not None
    assert finding.oracle == ORACLES[mutant.name]


@pytest.mark.parametrize("scenario", [hurried, with_account])
def test_what_they_are_made_from_passes(scenario: Callable[[Path], Scenario], tmp_path: Path) -> None:
    simulation = Simulation(scenario(tmp_path))

    report = simulation.check([simulation.reference, *simulation.plans()[::STRIDE]])

    assert not report.failures, SimulationFailed(report, str)
