"""The simulation is not its own witness: what it says of a plan is what a real server says.

Only some plans here; `make replay` takes some of every sort for every controller.
"""

from pathlib import Path

import msgspec
import pytest

from framework.testing.control_plane import ControlPlane
from framework.testing.replay import NotReplayable, Replay
from framework.testing.simulation import Fault, Plan, Scenario, Simulation
from tests.integration.simulation.subjects import mutant_recipe_of, mutants, recipe_of
from tests.integration.simulation.trials import prepare, prepare_mutant, replay, replay_until_caught
from tests.simulation.copies import copies

# The scenarios have kinds in common, and the processes of one would serve the other's objects.
pytestmark = pytest.mark.xdist_group("replay")

CREATE = "POST /api/v1/namespaces/default/configmaps"
WATCH = "WATCH /api/v1/configmaps"
PLANS = (
    Plan(0, (Fault("crash_after", CREATE),)),
    Plan(0, (Fault("freeze", CREATE, seconds=20.0), Fault("lose_answer", CREATE))),
    Plan(0, (Fault("hold_event", WATCH, event=3, seconds=20.0),)),
)


def briefly(scenario: Scenario) -> Scenario:
    """Longer than anything in these plans takes, and two seconds of real time."""
    return msgspec.structs.replace(scenario, quiet_seconds=30.0)


def test_the_embedded_and_the_real_server_judge_alike(replay_plane: ControlPlane, tmp_path: Path) -> None:
    prepared = prepare("copies", Simulation(briefly(copies(tmp_path))), recipe_of("copies"), PLANS, tmp_path)

    trials = list(replay(prepared, replay_plane))

    assert [str(trial) for trial in trials if trial.real or trial.embedded or trial.is_missed] == []
    assert len(trials) == 1 + len(PLANS)


def test_the_plan_that_catches_a_mutant_catches_it_for_real(replay_plane: ControlPlane, tmp_path: Path) -> None:
    name = "create-then-fill"
    mutant = mutants()[name]
    brief = msgspec.structs.replace(mutant, scenario=lambda folder: briefly(mutant.scenario(folder)))
    prepared = prepare_mutant(brief, mutant_recipe_of(name), tmp_path)

    without_fault, caught = replay_until_caught(prepared, replay_plane)

    assert not without_fault.real
    assert [violation.oracle for violation in caught.real] == [violation.oracle for violation in caught.embedded]
    assert caught.real


def test_what_cannot_be_done_for_real_is_refused(replay_plane: ControlPlane, tmp_path: Path) -> None:
    simulation = Simulation(copies(tmp_path))
    reference = simulation.oracles.reference
    jump = Plan(0, (Fault("jump", CREATE, seconds=3600.0),))

    with (
        Replay(simulation.scenario, recipe_of("copies"), replay_plane, tmp_path, reference=reference) as replaying,
        pytest.raises(NotReplayable, match="'jump' cannot be replayed"),
    ):
        replaying.run(jump)
