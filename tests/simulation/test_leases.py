"""A lease can be lost at any write, and O6 says who has written without one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from framework.testing.simulation import Fault, Outcome, Plan, Simulation, SimulationFailed
from framework.testing.simulation.leases import lease_losses
from framework.testing.simulation.plan import USER, Deed
from framework.testing.simulation.trace import Step
from tests.simulation.led import led
from tests.simulation.mutants.mutant import Mutant, changed
from tests.simulation.mutants.of_leases import MUTANTS
from tests.simulation.scenarios import SCENARIOS

MAPS = "/api/v1/namespaces/default/configmaps"
CREATE, CHANGE = f"POST {MAPS}", f"PATCH {MAPS}/one-copy"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/copies"
# Every so many plans: `make simulate` makes them all.
STRIDE = 4


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return Simulation(led(Path()))


@pytest.fixture(scope="module")
def leader(simulation: Simulation) -> str:
    """Who wins is for the seed to say."""
    return next(step.process for step in simulation.run(Plan(0)).steps if step.request == CHANGE)


@pytest.fixture(scope="module")
def standby(leader: str) -> str:
    return "second" if leader == "first" else "first"


@pytest.fixture
def run(simulation: Simulation, leader: str) -> Callable[..., Outcome]:
    """With a fault right before the leader's first write of a copy, and perhaps a delay of that write."""

    def run_with(do: Deed, *, delay_seconds: float = 0.0, **more: object) -> Outcome:
        fault = Fault(do, CREATE, leader, **more)  # type: ignore[arg-type]
        delay = Fault("delay", CREATE, leader, seconds=delay_seconds)
        return simulation.run(Plan(0, (fault, delay)))

    return run_with


def losses(simulation: Simulation) -> list[Plan]:
    reference = simulation.run(Plan(0))
    return [Plan(0, faults) for faults in lease_losses(reference.steps, simulation.scenario.quiet_seconds)]


def effective(outcome: Outcome, request: str) -> list[Step]:
    """Of the processes."""
    steps = [step for step in outcome.steps if step.process != USER]
    return [step for step in steps if step.request == request and step.is_effective]


def of_life(outcome: Outcome, life: str) -> list[Step]:
    return [step for step in outcome.steps if step.life == life and not step.event]


def test_the_leader_of_the_reference_is_the_one_that_is_disturbed(simulation: Simulation, leader: str) -> None:
    assert {fault.process for plan in losses(simulation) for fault in plan.faults} == {leader}


def test_a_process_that_stands_still_sends_nothing_and_another_leads_meanwhile(
    run: Callable[..., Outcome], leader: str, standby: str
) -> None:
    outcome = run("stand_still", seconds=30.0)

    begin = next(step.elapsed for step in outcome.steps if step.request == CREATE and step.process == leader)
    assert not [step for step in of_life(outcome, leader) if begin < step.elapsed < begin + 30.0]
    assert [step.process for step in effective(outcome, CREATE)] == [standby]
    assert outcome.violations == ()


@pytest.mark.parametrize("code", [409, 500, 0])
def test_renewals_that_are_refused_for_long_make_another_the_leader(
    run: Callable[..., Outcome], standby: str, code: int
) -> None:
    outcome = run("refuse", delay_seconds=12.0, object=LEASE, code=code, seconds=30.0)

    assert [step.process for step in effective(outcome, CREATE)] == [standby]


def test_a_lease_that_is_deleted_is_made_again_by_its_holder(run: Callable[..., Outcome], leader: str) -> None:
    outcome = run("delete_lease", object=LEASE)

    made = effective(outcome, f"POST {LEASE.rpartition('/')[0]}")
    assert [step.process for step in made] == [leader, leader]


def test_a_lease_that_a_stranger_has_taken_is_left_to_run_out(run: Callable[..., Outcome], leader: str) -> None:
    outcome = run("take_lease", object=LEASE)

    taken = next(step.elapsed for step in outcome.steps if step.request == CREATE and step.process == leader)
    later = [step.elapsed for step in effective(outcome, f"PATCH {LEASE}") if step.elapsed > taken]
    assert later[0] >= taken + 15.0


def test_who_is_asked_to_end_finishes_its_write_gives_the_lease_up_and_starts_again(
    run: Callable[..., Outcome], leader: str
) -> None:
    outcome = run("terminate", delay_seconds=3.0)

    written = effective(outcome, CREATE)[0]
    given_up = [step for step in of_life(outcome, leader) if step.request == f"PATCH {LEASE}"][-1]
    assert written.life == leader
    assert given_up.answered >= written.answered
    assert of_life(outcome, f"{leader}.2")


@pytest.mark.parametrize("name", ["led", "directors"])
def test_nobody_writes_out_of_its_term(name: str, tmp_path: Path) -> None:
    simulation = Simulation(SCENARIOS[name](tmp_path))

    report = simulation.check(losses(simulation)[::STRIDE])

    assert not report.failures, SimulationFailed(report, str)
    assert report.plans > 5


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_leader_that_does_not_mind_its_lease_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    with changed(mutant.changes):
        simulation = Simulation(mutant.scenario(tmp_path))

        report = simulation.check(losses(simulation), stop_at_first=True)

    assert [failure.violations[0].oracle for failure in report.failures] == ["O6"]


def test_a_process_without_a_lease_is_not_judged_by_it(tmp_path: Path) -> None:
    simulation = Simulation(SCENARIOS["copies"](tmp_path))

    assert simulation.run(Plan(0)).violations == ()
    assert losses(simulation) == []
