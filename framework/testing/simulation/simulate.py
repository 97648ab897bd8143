"""Runs a scenario under every plan, and says which of them it does not survive."""

import random  # noqa: TID251 - seeded
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import msgspec

from framework.clock import SystemClock
from framework.testing.simulation.actor import acts_of
from framework.testing.simulation.enumeration import enumerated_plans
from framework.testing.simulation.garbage import collect_run, collected_after_each_run
from framework.testing.simulation.mixes import random_plans
from framework.testing.simulation.oracles import Oracles
from framework.testing.simulation.outcome import Outcome, Violation
from framework.testing.simulation.plan import ACTS_OF_THE_USER, QUIET, Fault, Plan
from framework.testing.simulation.run import Run
from framework.testing.simulation.scenario import Register, Scenario, User
from framework.testing.simulation.shrinking import shrunk
from framework.testing.simulation.store import Snapshot
from framework.testing.simulation.workloads import Samples, is_patient, random_workload

_PLANS_PER_WORKLOAD = 8
# Failures of one cause come in dozens.
_MOST_SHOWN = 5


class Failure(msgspec.Struct, frozen=True):
    plan: Plan
    violations: tuple[Violation, ...]


class Report(msgspec.Struct, frozen=True):
    plans: int = 0
    seconds: float = 0.0
    failures: tuple[Failure, ...] = ()

    def __add__(self, other: "Report") -> "Report":
        return Report(self.plans + other.plans, self.seconds + other.seconds, (*self.failures, *other.failures))

    def __str__(self) -> str:
        rate = self.plans / self.seconds if self.seconds else 0.0
        return f"{self.plans} plans in {self.seconds:.1f} s ({rate:.0f} a second), {len(self.failures)} failed"


class SimulationFailed(AssertionError):
    def __init__(self, report: Report, replay: Callable[[Plan], str]) -> None:
        self.report = report
        lines = [str(report)]
        for failure in report.failures[:_MOST_SHOWN]:
            lines += [f"  {violation}" for violation in failure.violations]
            lines.append(f"    replay: {replay(failure.plan)}")
        if len(report.failures) > _MOST_SHOWN:
            lines.append(f"  and {len(report.failures) - _MOST_SHOWN} more")
        super().__init__("\n".join(lines))


class Simulation:
    """One scenario, prepared once; every run begins from the same snapshot."""

    def __init__(self, scenario: Scenario, *, seed: int = 0) -> None:
        self.scenario = scenario
        self._seed = seed
        self._others: dict[str, Oracles] = {}

    def run(self, plan: Plan) -> Outcome:
        outcome = Run(self.scenario, plan, self._snapshots).outcome()
        collect_run()
        return outcome

    @cached_property
    def _snapshots(self) -> dict[str, Snapshot]:
        return Run(self.scenario, Plan(self._seed)).snapshots()

    @cached_property
    def oracles(self) -> Oracles:
        """Three runs without faults: what differs between them is masked in all others."""
        return Oracles([self.run(Plan(self._seed + number)) for number in range(3)], self.scenario.masked)

    def judge(self, plan: Plan) -> tuple[Violation, ...]:
        return self.judge_outcome(self.run(plan))

    def judge_outcome(self, outcome: Outcome) -> tuple[Violation, ...]:
        plan = outcome.plan
        # When something is deleted decides how often its children are made, so the counts say nothing.
        has_same_counts = not _has_act(plan) and self._is_counted(plan)
        return tuple(self._oracles_of(plan).judge(outcome, has_same_counts=has_same_counts))

    def _is_counted(self, plan: Plan) -> bool:
        """Whether a drawn user does nothing while the controllers are still busy, or away."""
        seconds = sum(fault.seconds for fault in plan.faults if fault.do != "jump")
        return not plan.acts or (is_patient(plan.acts) and seconds < self.scenario.quiet_seconds)

    def _oracles_of(self, plan: Plan) -> Oracles:
        """Of runs in which the user does the same, and in which the same objects are deleted when all is done."""
        deleted = sorted({fault.object for fault in plan.faults if fault.do == "delete"})
        if not deleted and not plan.acts:
            return self.oracles
        faults = tuple(Fault("delete", QUIET, object=each) for each in deleted)
        like = str(Plan(self._seed, faults, plan.acts))
        if like not in self._others:
            references = [self.run(Plan(self._seed + number, faults, plan.acts)) for number in range(2)]
            self._others[like] = Oracles(references, self.scenario.masked)
        return self._others[like]

    def plans(self) -> list[Plan]:
        """Everything that can go wrong in the reference, one thing at a time."""
        plans = enumerated_plans(self.oracles.reference, quiet_seconds=self.scenario.quiet_seconds)
        return [plan for plan in plans if not (self.scenario.depends_on_when and _has_act(plan))]

    def random_plans(self, seeds: range) -> Iterator[Plan]:
        """One for each seed: every other with the workload of the scenario, the others with one that is drawn too."""
        if self.scenario.depends_on_when:
            yield from random_plans(self.plans(), seeds)
            return
        yield from random_plans(self.plans(), seeds[::2])
        yield from self.drawn_plans(seeds[1::2])

    def drawn_plans(self, seeds: Sequence[int]) -> Iterator[Plan]:
        """A random workload for every eight seeds: once as it is, and then under random faults."""
        acts = tuple(acts_of(self.oracles.reference.steps))
        samples = Samples(acts, self.scenario.definitions, self.scenario.fixed)
        for first in range(0, len(seeds), _PLANS_PER_WORKLOAD) if samples.creates else ():
            seed, *more = seeds[first : first + _PLANS_PER_WORKLOAD]
            drawn = random_workload(samples, random.Random(f"workload/{seed}"))  # noqa: S311 - no secret
            as_it_is = Plan(self._seed, (), drawn)
            yield as_it_is
            reference = self._oracles_of(as_it_is).reference
            enumerated = list(enumerated_plans(reference, quiet_seconds=self.scenario.quiet_seconds))
            for plan in random_plans(enumerated, more):
                yield msgspec.structs.replace(plan, acts=drawn)

    def check_all(self, seeds: range = range(0)) -> Report:
        """First that all is well when nothing goes wrong; if not, there is nothing to compare with."""
        report = self.check([self.reference])
        return report if report.failures else self.check(chain(self.plans(), self.random_plans(seeds)))

    @property
    def reference(self) -> Plan:
        return Plan(self._seed)

    def check(self, plans: Iterable[Plan], *, stop_at_first: bool = False) -> Report:
        clock = SystemClock()
        started, count, failures = clock.monotonic(), 0, []
        with collected_after_each_run():
            for plan in plans:
                count += 1
                if violations := self.judge(plan):
                    failures.append(Failure(plan, violations))
                    if stop_at_first:
                        break
        return Report(count, clock.monotonic() - started, tuple(failures))

    def shrunk(self, report: Report) -> Report:
        """With the smallest plans that fail in the same way, of those that are shown."""
        shown = report.failures[:_MOST_SHOWN]
        return msgspec.structs.replace(report, failures=(*map(self._shrunk, shown), *report.failures[_MOST_SHOWN:]))

    def _shrunk(self, failure: Failure) -> Failure:
        plan, oracles = failure.plan, {violation.oracle for violation in failure.violations}
        if len(plan.faults) <= 1 and not plan.acts and plan.seed == self._seed:
            return failure
        small = shrunk(plan, lambda other: any(each.oracle in oracles for each in self.judge(other)))
        return failure if small == plan else Failure(small, self.judge(small))


def _has_act(plan: Plan) -> bool:
    return any(fault.do in ACTS_OF_THE_USER for fault in plan.faults)


def simulate(
    register: Register | Mapping[str, Register],
    workload: Callable[[User], None],
    *,
    plan: Plan | None = None,
    seeds: int = 0,
    replay: Callable[[Plan], str] = str,
    **options: Any,
) -> Report:
    """Raise SimulationFailed unless the controllers survive every plan, or the one *plan* that is given.

    So many *seeds* give as many random plans more, half of them with random workloads. *options* are those of
    Scenario. Several processes have names: `{"director": …, "worker": …}`.
    """
    __tracebackhide__ = True
    processes = register if isinstance(register, Mapping) else {"controller": register}
    simulation = Simulation(Scenario(processes, workload, **options))
    report = simulation.check_all(range(1, seeds + 1)) if plan is None else simulation.check([plan])
    if report.failures:
        raise SimulationFailed(report if plan is not None else simulation.shrunk(report), replay)
    return report
