"""The webhooks of simulated processes are asked, and may fail."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from examples.website import Website
from framework.apiserver.admission import CallFailed
from framework.http.exchange import Answer, ServerRequest
from framework.testing.simulation import Fault, Outcome, Plan, Simulation, SimulationFailed, User
from framework.testing.simulation.plan import Deed
from framework.testing.simulation.reviews import Reviews
from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.scheduler import Life, Scheduler
from framework.testing.simulation.trace import Step
from framework.webhooks.options import FailurePolicy
from tests.simulation.mutants.mutant import changed
from tests.simulation.mutants.of_webhooks import MUTANTS
from tests.simulation.reviewed import ONE, reviewed, reviewed_with, workload

WRITE = "PATCH /apis/apps/v1/namespaces/default/deployments/one"
IMAGE = "deployments.apps/default/one: .spec.template.spec.containers[0].image"
DOWN: tuple[Deed, ...] = ("webhook_refuses", "webhook_hangs", "webhook_babbles")
URL = {"url": "https://hooks.example/validate"}


def run(policy: FailurePolicy, do: Deed, seconds: float = 20.0) -> Outcome:
    return Simulation(reviewed_with(policy)).run(Plan(0, (Fault(do, WRITE, seconds=seconds),)))


def writes(outcome: Outcome) -> list[Step]:
    return [step for step in outcome.steps if step.request == WRITE]


def down_plans(simulation: Simulation) -> list[Plan]:
    return [plan for plan in simulation.plans() if plan.faults[0].do in DOWN]


def test_what_the_webhook_denies_is_not_there(tmp_path: Path) -> None:
    def with_a_wish(user: User) -> None:
        workload(user)
        user.wait_until_quiet()
        user.client.merge_patch(Website, ONE, {"spec": {"image": "web:latest"}})

    scenario = msgspec.structs.replace(reviewed(tmp_path), workload=with_a_wish, limit_seconds=200.0)

    outcome = Simulation(scenario).run(Plan(0))

    assert outcome.state[IMAGE] == "web:2"
    assert writes(outcome)[-1].status == 403


@pytest.mark.parametrize("do", DOWN)
def test_a_webhook_that_must_agree_and_cannot_be_asked_stops_the_write_until_it_is_back(do: Deed) -> None:
    outcome = run("Fail", do)

    first = writes(outcome)[0]
    made = next(step for step in writes(outcome) if step.is_effective)
    assert (first.status, first.is_effective) == (500, False)
    assert made.elapsed >= first.elapsed + 20.0


@pytest.mark.parametrize("do", DOWN)
def test_a_webhook_that_may_fail_stops_nothing(do: Deed) -> None:
    outcome = run("Ignore", do)

    assert writes(outcome)[0].is_effective


def test_a_webhook_that_hangs_takes_the_time_that_it_has() -> None:
    outcome = run("Fail", "webhook_hangs")

    first = writes(outcome)[0]
    assert first.answered == pytest.approx(first.elapsed + 10.0)


@pytest.mark.parametrize("policy", ["Fail", "Ignore"])
def test_a_controller_survives_that_its_own_webhook_is_down(policy: FailurePolicy) -> None:
    simulation = Simulation(reviewed_with(policy))

    report = simulation.check(down_plans(simulation))

    assert not report.failures, SimulationFailed(report, str)
    assert report.plans == 6


def test_a_controller_that_takes_it_for_final_is_caught(tmp_path: Path) -> None:
    (mutant,) = MUTANTS
    with changed(mutant.changes):
        simulation = Simulation(mutant.scenario(tmp_path))

        report = simulation.check(down_plans(simulation), stop_at_first=True)

    assert [failure.violations[0].oracle for failure in report.failures] == ["O1"]


class Yes:
    def __init__(self, clock: SimulatedClock, seconds: float = 0.0) -> None:
        self._clock = clock
        self._seconds = seconds

    def handle(self, _request: ServerRequest) -> Answer:
        self._clock.wait(self._seconds)
        return Answer(200, {}, b"yes")

    def may_block(self, _request: ServerRequest) -> bool:
        return True


def asked(prepare: Callable[[Reviews, Life, SimulatedClock, Scheduler], None]) -> tuple[bytes | str, float]:
    """What the server gets, and after how long."""
    scheduler, life = Scheduler(0), Life("hooks")
    clock = SimulatedClock(scheduler)
    reviews = Reviews(scheduler, clock, SimulatedRuntime(scheduler, Life("cluster"), is_preemptive=False))
    prepare(reviews, life, clock, scheduler)
    results: list[bytes | str] = []

    def ask() -> None:
        try:
            results.append(reviews.call_client(URL, b"{}", 10))
        except CallFailed as failure:
            results.append(str(failure))

    task = scheduler.spawn("server", ask, Life("cluster"))
    assert scheduler.run(lambda: task.has_ended, limit_seconds=100.0)
    took = scheduler.elapsed
    scheduler.close()
    return results[0], took


def test_a_webhook_is_asked_in_its_own_process() -> None:
    assert asked(lambda reviews, life, clock, _: reviews.serve(["hooks.example"], life, Yes(clock, 3.0))) == (
        b"yes",
        3.0,
    )


def test_a_webhook_that_nobody_serves_refuses_the_connection() -> None:
    answer, took = asked(lambda *_: None)

    assert str(answer).endswith("dial tcp hooks.example: connect: connection refused")
    assert took == 0.0


def test_a_webhook_of_a_process_that_has_crashed_refuses_the_connection() -> None:
    def crash(reviews: Reviews, life: Life, clock: SimulatedClock, scheduler: Scheduler) -> None:
        reviews.serve(["hooks.example"], life, Yes(clock))
        scheduler.end_life(life)

    assert "connection refused" in str(asked(crash)[0])


def test_a_webhook_of_a_process_that_stands_still_is_waited_for_in_vain() -> None:
    def stop(reviews: Reviews, life: Life, clock: SimulatedClock, scheduler: Scheduler) -> None:
        reviews.serve(["hooks.example"], life, Yes(clock))
        scheduler.stand_still(life)

    answer, took = asked(stop)

    assert str(answer).endswith("context deadline exceeded")
    assert took == 10.0
