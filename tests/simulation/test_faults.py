"""What each fault does to a run."""

from collections.abc import Callable

import pytest

from framework.testing.simulation import Fault, Outcome, Plan, Simulation
from framework.testing.simulation.plan import QUIET, USER, Deed
from framework.testing.simulation.trace import Step
from tests.simulation.copies import copies

MAPS = "/api/v1/namespaces/default/configmaps"
CREATE = f"POST {MAPS}"
WATCH = "WATCH /api/v1/configmaps"


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return Simulation(copies(tmp_path_factory.getbasetemp()))


@pytest.fixture
def run(simulation: Simulation) -> Callable[..., Outcome]:
    def run_with(do: Deed, request: str = CREATE, **more: object) -> Outcome:
        return simulation.run(Plan(0, (Fault(do, request, **more),)))  # type: ignore[arg-type]

    return run_with


def of_controller(outcome: Outcome) -> list[Step]:
    return [step for step in outcome.steps if step.process == "controller"]


def creates(outcome: Outcome) -> list[Step]:
    return [step for step in of_controller(outcome) if step.request == CREATE]


def starts(outcome: Outcome) -> list[float]:
    return [step.elapsed for step in of_controller(outcome) if step.note == "starts"]


def test_a_crash_before_a_write_keeps_it_from_happening(run: Callable[..., Outcome]) -> None:
    outcome = run("crash_before", seconds=5.0)

    assert not creates(outcome)[0].is_effective
    assert starts(outcome) == [0.0, pytest.approx(creates(outcome)[0].elapsed + 5.0)]


def test_a_crash_after_a_write_is_too_late_for_it(run: Callable[..., Outcome]) -> None:
    outcome = run("crash_after", seconds=5.0)

    assert creates(outcome)[0].is_effective
    assert len(starts(outcome)) == 2


def test_who_has_crashed_sends_nothing_until_it_starts_again(run: Callable[..., Outcome]) -> None:
    outcome = run("crash_after", seconds=5.0)

    steps = of_controller(outcome)
    crash = next(number for number, step in enumerate(steps) if step.note == "crash_after")
    assert steps[crash + 1].note == "starts"


def test_a_lost_answer_is_of_a_write_that_was_made(run: Callable[..., Outcome]) -> None:
    outcome = run("lose_answer", seconds=3.0)

    assert creates(outcome)[0].is_effective
    assert creates(outcome)[0].note == "answer lost"
    assert "TimedOut" in {line.get("kind") for line in outcome.log}


@pytest.mark.parametrize("code", [429, 500, 503])
def test_an_answer_of_the_plan_is_of_a_write_that_was_not_made(run: Callable[..., Outcome], code: int) -> None:
    outcome = run("answer", code=code)

    assert creates(outcome)[0].status == code
    assert not creates(outcome)[0].is_effective
    assert creates(outcome)[-1].is_effective


def test_a_request_that_times_out_takes_its_time(run: Callable[..., Outcome]) -> None:
    outcome = run("time_out", seconds=30.0)

    first, second = [step for step in creates(outcome) if step.note or step.is_effective][:2]
    assert not first.is_effective
    assert second.is_effective


def test_an_event_that_is_held_comes_late(run: Callable[..., Outcome]) -> None:
    outcome = run("hold_event", WATCH, event=1, seconds=20.0)

    held = [step for step in of_controller(outcome) if "hold_event" in step.note]
    assert len(held) == 1
    assert creates(outcome)[-1].elapsed >= 20.0


def test_frozen_watches_bring_nothing_for_a_while(run: Callable[..., Outcome]) -> None:
    outcome = run("freeze", seconds=20.0)

    at = creates(outcome)[0].elapsed
    events = [step.elapsed for step in of_controller(outcome) if step.event]
    assert not [elapsed for elapsed in events if at < elapsed < at + 20.0]


def test_a_clock_that_jumps_changes_what_is_written_and_not_how_time_passes(run: Callable[..., Outcome]) -> None:
    outcome = run("jump", seconds=-3600.0)

    assert "the clock jumps by -3600 s" in outcome.trace
    assert creates(outcome)[0].is_effective


def test_a_reset_watch_is_opened_again(run: Callable[..., Outcome]) -> None:
    outcome = run("reset", WATCH, event=3)

    assert len([step for step in of_controller(outcome) if step.request == WATCH and not step.event]) >= 2
    assert outcome.open_watches == (WATCH,)


def test_who_is_cut_off_reaches_nobody_and_must_begin_anew(run: Callable[..., Outcome]) -> None:
    outcome = run("cut_off", WATCH, event=3, seconds=90.0)

    at = next(step.elapsed for step in of_controller(outcome) if "cut_off" in step.note)
    during = [step for step in of_controller(outcome) if at < step.elapsed < at + 90.0]
    assert {step.note for step in during} == {"cut off"}
    after = [step for step in of_controller(outcome) if step.elapsed >= at + 90.0 and step.request == WATCH]
    assert [step.status for step in after if not step.event][:2] == [410, 0]
    assert outcome.violations == ()


def test_the_user_goes_on_while_a_process_is_cut_off(run: Callable[..., Outcome]) -> None:
    outcome = run("cut_off", WATCH, event=3, seconds=90.0)

    at = next(step.elapsed for step in of_controller(outcome) if "cut_off" in step.note)
    assert [step for step in outcome.steps if step.process == USER and at < step.elapsed < at + 90.0]
    assert outcome.state["configmaps/default/kept-copy: .data.text"] == "second"


def test_what_the_user_deletes_is_gone(run: Callable[..., Outcome]) -> None:
    outcome = run("delete", object=f"{MAPS}/kept")

    assert not [path for path in outcome.state if "/kept" in path]


def test_what_the_user_makes_again_is_another_object(run: Callable[..., Outcome]) -> None:
    outcome = run("recreate", object=f"{MAPS}/kept")

    assert outcome.counts["configmaps/default/kept"] == (2, 1)
    assert outcome.state["configmaps/default/kept-copy: .data.text"] == "second"


def test_the_user_can_act_when_all_is_quiet(run: Callable[..., Outcome]) -> None:
    outcome = run("delete", QUIET, object=f"{MAPS}/kept")

    assert outcome.counts["configmaps/default/kept-copy"] == (1, 1)


def test_a_run_leaves_no_task_behind(simulation: Simulation) -> None:
    outcome = simulation.run(Plan(0))

    assert outcome.violations == ()


@pytest.mark.parametrize("deed", ["end_watch", "half_event", "expire_watch"])
def test_a_watch_that_ends_at_an_event_is_begun_again(simulation: Simulation, deed: Deed) -> None:
    outcome = simulation.run(Plan(0, (Fault(deed, WATCH, event=3),)))

    watches = [step for step in of_controller(outcome) if step.request == WATCH and not step.event]
    assert len(watches) > 1
    assert outcome.open_watches == (WATCH,)
    assert not simulation.judge(outcome.plan)
