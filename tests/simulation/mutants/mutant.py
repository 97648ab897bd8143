"""A controller with a small known bug, and what it takes to find it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import msgspec

from framework.testing.simulation import Scenario, Simulation, plan_from
from tests.simulation import copies
from tests.simulation.copies import Copies

Change = tuple[Any, str, Any]
_ROOT = Path(__file__).parents[3]
# Controllers that are tested together, by the folder of those tests.
_TOGETHER = dict.fromkeys(
    ("jobbuilder", "workeraccount", "workerbundle", "workerdeployment", "workerrelease", "workerversion"), "workers"
)


class Mutant(msgspec.Struct, frozen=True):
    name: str
    bug: str
    scenario: Callable[[Path], Scenario]
    # Owner, which is a class or a module; attribute; what stands in its place.
    changes: Sequence[Change] = ()
    simulation: Callable[[Scenario], Simulation] = Simulation
    # Where such a bug is known from.
    known_from: str = ""

    @property
    def ordinary_tests(self) -> tuple[str, ...]:
        """What the changed code is ordinarily tested by, simulation apart."""
        return tuple(sorted({path for owner, _, _ in self.changes for path in _tests_of(_module_of(owner))}))

    @property
    def is_of_the_framework(self) -> bool:
        """Not of a controller that uses it."""
        return any(_module_of(owner).startswith("framework.") for owner, _, _ in self.changes)


class Finding(msgspec.Struct, frozen=True):
    """By which oracle a mutant was caught, and by which plan, the how manieth; 0 is the run without faults."""

    oracle: str
    plans: int
    plan: str


def hand_written(name: str, bug: str, reconciler: type[Copies], *others: Change, known_from: str = "") -> Mutant:
    return Mutant(name, bug, copies.copies, [(copies, "Copies", reconciler), *others], known_from=known_from)


def hunt(mutant: Mutant, folder: Path) -> Finding | None:
    """None: it lives."""
    with changed(mutant.changes):
        simulation = mutant.simulation(mutant.scenario(folder))
        report = simulation.check([simulation.reference])
        plans = 0
        if not report.failures:
            report = simulation.check(simulation.plans(), stop_at_first=True)
            plans = report.plans
    if not report.failures:
        return None
    failure = report.failures[0]
    return Finding(failure.violations[0].oracle, plans, str(failure.plan))


def is_caught_by(plan: str, mutant: Mutant, folder: Path) -> bool:
    with changed(mutant.changes):
        return bool(mutant.simulation(mutant.scenario(folder)).judge(plan_from(plan)))


@contextmanager
def changed(changes: Sequence[Change]) -> Iterator[None]:
    with ExitStack() as stack:
        for owner, attribute, value in changes:
            stack.enter_context(mock.patch.object(owner, attribute, value))
        yield


def _module_of(owner: Any) -> str:
    return str(owner.__name__ if isinstance(owner, ModuleType) else owner.__module__)


def _tests_of(module: str) -> list[str]:
    top, *rest = module.split(".")
    if top == "tests":
        candidates = [f"tests/simulation/ordinary/test_{rest[-1]}.py"]
    elif top == "examples":
        candidates = ["tests/component/examples"]
    elif top == "framework":
        candidates = [f"tests/unit/framework/{rest[0]}", f"tests/component/{rest[0]}"]
    else:
        candidates = [f"tests/unit/{top}/{rest[0]}", f"tests/component/{_TOGETHER.get(rest[0], rest[0])}"]
    return [path for path in candidates if (_ROOT / path).exists()]
