"""A scenario and its plans on a real control plane, judged as in the simulation."""

from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from framework.testing.control_plane import ControlPlane
from framework.testing.replay.birth import Recipe, Upbringing
from framework.testing.replay.fast_time import clock_from_now_on
from framework.testing.replay.processes import Processes
from framework.testing.replay.replayable import check_is_replayable
from framework.testing.replay.run import RealRun
from framework.testing.replay.stage import Stage
from framework.testing.simulation.faults import is_at
from framework.testing.simulation.oracles import Oracles
from framework.testing.simulation.outcome import Outcome
from framework.testing.simulation.plan import QUIET, Fault, Plan
from framework.testing.simulation.scenario import Scenario
from framework.testing.simulation.simulate import Simulation
from framework.testing.simulation.trace import Step

SPEED = 15.0
_REFERENCES = 2
# Without these an owner would never be missed; more would be company that the simulation does not have.
CONTROLLERS = ("garbage-collector-controller", "namespace-controller", "serviceaccount-controller")


class Replay(Simulation):
    """Judges by runs on the same real server; *reference* is a run of the simulation.

    *recipe* makes the same *scenario* in the processes. Time passes *speed* times as fast for them.
    """

    def __init__(
        self,
        scenario: Scenario,
        recipe: Recipe,
        plane: ControlPlane,
        folder: Path,
        *,
        reference: Outcome,
        speed: float = SPEED,
    ) -> None:
        super().__init__(scenario)
        self._clock = clock_from_now_on(speed)
        self._folder = folder
        upbringing = Upbringing(recipe, str(folder), speed, self._clock.epoch, plane.token)
        self._processes = Processes(upbringing, folder / "nursery.log")
        try:
            self._stage = Stage(plane, scenario, reference)
        except BaseException:
            self._processes.close()
            raise
        self._runs = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.close()
        self._stage.close()

    def run(self, plan: Plan) -> Outcome:
        check_is_replayable(plan)
        self._stage.clear()
        self._runs += 1
        folder = self._folder / f"run-{self._runs}"
        folder.mkdir()
        run = RealRun(
            self.scenario, plan, stage=self._stage, processes=self._processes, clock=self._clock, folder=folder
        )
        return run.outcome()

    @cached_property
    def oracles(self) -> Oracles:
        return Oracles([self.run(Plan(number)) for number in range(_REFERENCES)], self.scenario.masked)


def missed(outcome: Outcome) -> list[Fault]:
    """The faults of a plan that found no request, or no event, that they were meant for."""
    return [fault for fault in outcome.plan.faults if not any(_is_there(fault, step) for step in outcome.steps)]


def _is_there(fault: Fault, step: Step) -> bool:
    if fault.request == QUIET:
        return True
    if fault.event:
        return fault.process == step.process and fault.request == step.request and fault.event == step.event
    return fault.process == step.process and not step.event and is_at(fault, step)
