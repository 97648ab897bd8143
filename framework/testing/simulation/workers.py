"""Plans on all cores: each worker process prepares a simulation once, and is handed plans in chunks."""

import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from types import TracebackType
from typing import Self

from framework.clock import SystemClock
from framework.testing.simulation.plan import Plan
from framework.testing.simulation.scenario import Scenario
from framework.testing.simulation.simulate import Failure, Report, Simulation

# A function of a module, which the workers import: from a name, and a folder of the worker's own, to a scenario.
MakeScenario = Callable[[str, Path], Scenario]
_CHUNK = 8
# For loading the program on a machine that is busy.
_START_SECONDS = 300.0


class Workers:
    """A report does not depend on who has run what: failures come in the order of the plans."""

    def __init__(self, make: MakeScenario, count: int | None = None) -> None:
        self._make = make
        self._count = count or os.cpu_count() or 1
        self._folder = tempfile.TemporaryDirectory()
        # Not forked: a fork has the locks of threads that it does not have.
        context = get_context("spawn")
        initial = make, context.Barrier(self._count)
        self._pool = ProcessPoolExecutor(self._count, mp_context=context, initializer=_meet, initargs=initial)

    def __enter__(self) -> Self:
        """All workers have loaded what they need, so that a report tells of plans alone."""
        list(self._pool.map(_is_there, range(self._count)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._folder.cleanup()

    def plans(self, name: str, seeds: range = range(0)) -> list[Plan]:
        """All that can be enumerated, and one random plan for each seed."""
        return self._pool.submit(_plans, self._make, name, self._folder.name, seeds).result()

    def check(self, name: str, plans: Sequence[Plan]) -> Report:
        clock = SystemClock()
        started = clock.monotonic()
        check = partial(_check, self._make, name, self._folder.name)
        chunks = [plans[start : start + _CHUNK] for start in range(0, len(plans), _CHUNK)]
        failures = [failure for found in self._pool.map(check, chunks) for failure in found]
        return Report(len(plans), clock.monotonic() - started, tuple(failures))


def _meet(_make: MakeScenario, everybody: Barrier) -> None:
    everybody.wait(_START_SECONDS)


def _is_there(_number: int) -> bool:
    return True


@cache
def _simulation(make: MakeScenario, name: str, folder: str) -> Simulation:
    own = Path(folder, str(os.getpid()), name)
    own.mkdir(parents=True)
    return Simulation(make(name, own))


def _plans(make: MakeScenario, name: str, folder: str, seeds: range) -> list[Plan]:
    simulation = _simulation(make, name, folder)
    return [*simulation.plans(), *simulation.random_plans(seeds)]


def _check(make: MakeScenario, name: str, folder: str, plans: Sequence[Plan]) -> tuple[Failure, ...]:
    return _simulation(make, name, folder).check(plans).failures
