"""Plans on several cores."""

from pathlib import Path

from framework.testing.simulation import Scenario, Simulation, Workers
from tests.simulation.mutants.mutant import changed
from tests.simulation.mutants.population import mutant_named

PLANS = slice(0, 60)


def scenario_of_mutant(name: str, folder: Path) -> Scenario:
    """For good: a worker is a process of its own."""
    mutant = mutant_named(name)
    for owner, attribute, value in mutant.changes:
        setattr(owner, attribute, value)
    return mutant.scenario(folder)


def test_the_report_of_many_workers_is_that_of_one(tmp_path: Path) -> None:
    name = "error-swallowed"
    mutant = mutant_named(name)
    with changed(mutant.changes):
        simulation = Simulation(mutant.scenario(tmp_path))
        alone = simulation.check(simulation.plans()[PLANS])

    with Workers(scenario_of_mutant, count=2) as workers:
        together = workers.check(name, workers.plans(name)[PLANS])

    assert len(alone.failures) > 1
    assert (together.plans, together.failures) == (alone.plans, alone.failures)
