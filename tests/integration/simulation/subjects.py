"""What is replayed, and how its processes come to know it."""

from collections.abc import Mapping
from pathlib import Path

from framework.testing.replay import Recipe
from framework.testing.simulation import Scenario
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.mutants.population import MUTANTS
from tests.simulation.scenarios import SCENARIOS

# At the same time on one server: the scenarios of different lanes have no kind in common.
LANES = (("website",), ("sharedfolder",), ("copies",), ("requeststate", "directors"))
# Beside those of the scenarios, in lanes of the same kinds.
MUTANT_LANES = (
    ("owner-not-checked",),
    ("folder-finalizer-first",),
    ("finalizer-first", "create-then-fill", "error-swallowed", "done-in-memory", "generated-name"),
    ("409-means-event", "state-before-history"),
)


def recipe_of(name: str) -> Recipe:
    return Recipe(__name__, scenario.__name__, (name,))


def scenario(folder: Path, name: str) -> Scenario:
    return SCENARIOS[name](folder)


def mutant_recipe_of(name: str) -> Recipe:
    return Recipe(__name__, mutated.__name__, (name,))


def mutated(folder: Path, name: str) -> Scenario:
    """For a process that is the mutant from its beginning to its end: nothing is put back."""
    mutant = mutants()[name]
    for owner, attribute, value in mutant.changes:
        setattr(owner, attribute, value)
    return mutant.scenario(folder)


def mutants() -> Mapping[str, Mutant]:
    return {mutant.name: mutant for mutant in MUTANTS}
