"""The controllers of this repository survive everything that can go wrong, one thing at a time, and random mixes."""

from pathlib import Path

import pytest

from framework.testing.simulation import Simulation, SimulationFailed
from tests.simulation.everything import DEFAULT_SEEDS, share_of
from tests.simulation.scenarios import SCENARIOS

# Of these, whose runs are long, each third plan, and that in two halves for two cores; `make simulate` tries all.
LONG = ("instances", "applications", "peerpodconfigs")
HALVES, EACH_NTH = 2, 3
CASES = [(name, half) for name in SCENARIOS for half in range(HALVES if name in LONG else 1)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "half"), CASES, ids=[f"{name}-{half}" if half else name for name, half in CASES])
def test_survives_everything(name: str, half: int, tmp_path: Path) -> None:
    simulation = Simulation(SCENARIOS[name](tmp_path))
    reference = simulation.check([simulation.reference])
    assert not reference.failures, SimulationFailed(reference, str)
    plans, seeds = simulation.plans(), share_of(name, DEFAULT_SEEDS)
    if name in LONG:
        plans, seeds = plans[::EACH_NTH][half::HALVES], seeds[half::HALVES]

    report = simulation.check([*plans, *simulation.random_plans(seeds)])

    assert not report.failures, SimulationFailed(report, str)
    assert report.plans > len(seeds)
