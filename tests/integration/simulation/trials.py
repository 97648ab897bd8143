"""Plans under both: in the simulation first, then for real, and what each of them said."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from framework.testing.control_plane import ControlPlane
from framework.testing.replay import Recipe, Replay, missed
from framework.testing.simulation import Outcome, Plan, Scenario, Simulation, Violation
from framework.testing.simulation.oracles import Oracles
from tests.integration.simulation.selection import is_replayable, sort_of
from tests.simulation.mutants.mutant import Mutant, changed

_PLANS_OF_A_MUTANT = 3
_TRIES = 3


class Prepared(msgspec.Struct, frozen=True):
    """What the simulation says of some plans of one subject; the first is that without faults."""

    name: str
    recipe: Recipe
    scenario: Scenario
    oracles: Oracles
    verdicts: Sequence[tuple[Plan, tuple[Violation, ...]]]
    folder: Path


class Trial(msgspec.Struct, frozen=True):
    subject: str
    plan: Plan
    embedded: tuple[Violation, ...]
    real: tuple[Violation, ...]
    # The fault found no request that it was meant for.
    is_missed: bool = False

    @property
    def is_different(self) -> bool:
        return bool(self.embedded) != bool(self.real) and not self.is_missed

    @property
    def line(self) -> str:
        embedded, real = (" ".join(each.oracle for each in said) or "survives" for said in (self.embedded, self.real))
        note = ", the fault was not met" if self.is_missed else ""
        return f"{self.subject:<22} {sort_of(self.plan) or 'no fault':<22} embedded {embedded}, real {real}{note}"

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self.plan}"]
        lines += [f"  embedded {violation}" for violation in self.embedded or ("survives",)]
        lines += [f"  real     {violation}" for violation in self.real or ("survives",)]
        return "\n".join([*lines, *(["  the fault was not met"] if self.is_missed else [])])


def prepare(name: str, simulation: Simulation, recipe: Recipe, plans: Iterable[Plan], folder: Path) -> Prepared:
    verdicts = [(plan, simulation.judge(plan)) for plan in (simulation.reference, *plans)]
    return Prepared(name, recipe, simulation.scenario, simulation.oracles, verdicts, folder)


def prepare_mutant(mutant: Mutant, recipe: Recipe, folder: Path) -> Prepared:
    """With the first plans, of different sorts, that catch it and can be replayed.

    More than one: some catch it by the order of threads that their seed has led to, which a replay does not have.
    """
    with changed(mutant.changes):
        simulation = Simulation(mutant.scenario(folder))
        caught = (
            [] if simulation.judge(simulation.reference) else list(islice(_catching(simulation), _PLANS_OF_A_MUTANT))
        )
        return prepare(mutant.name, simulation, recipe, caught, folder)


def _catching(simulation: Simulation) -> Iterator[Plan]:
    sorts = set()
    for plan in filter(is_replayable, simulation.plans()):
        if sort_of(plan) not in sorts and simulation.judge(plan):
            sorts.add(sort_of(plan))
            yield plan


def replay_until_caught(prepared: Prepared, plane: ControlPlane) -> Iterator[Trial]:
    for trial in replay(prepared, plane):
        yield trial
        if trial.embedded and trial.real:
            return


def _met(replaying: Replay, plan: Plan) -> Outcome:
    """Where two processes compete it is chance which of them makes a request: then it is tried again."""
    for _ in range(_TRIES - 1):
        outcome = replaying.run(plan)
        if not missed(outcome):
            return outcome
    return replaying.run(plan)


def replay(prepared: Prepared, plane: ControlPlane) -> Iterator[Trial]:
    reference, *verdicts = prepared.verdicts
    with Replay(
        prepared.scenario, prepared.recipe, plane, prepared.folder, reference=prepared.oracles.reference
    ) as replaying:
        # Without faults both must come to the same end, by the oracles of the simulation.
        real = prepared.oracles.judge(replaying.oracles.reference)
        yield Trial(prepared.name, reference[0], reference[1], tuple(real))
        for plan, embedded in verdicts:
            outcome = _met(replaying, plan)
            yield Trial(prepared.name, plan, embedded, replaying.judge_outcome(outcome), bool(missed(outcome)))
