"""A process, its own cluster and another one, and the network between them."""

from pathlib import Path

import pytest

from framework.client import ClusterAddress, StaticCredentials
from framework.errors import ConfigurationError
from framework.manager import Manager
from framework.testing.simulation import Fault, Outcome, Plan, Scenario, Simulation, SimulationFailed, User
from framework.testing.simulation.plan import Deed
from framework.testing.simulation.trace import Step, cluster_of
from tests.simulation.mirrored import PARIS, mirrored
from tests.simulation.mutants.mutant import changed
from tests.simulation.mutants.population import mutant_named

MAPS = "/api/v1/namespaces/default/configmaps"
HERE, THERE = f"PATCH {MAPS}/kept", f"PATCH {PARIS}:{MAPS}/kept"
# Every so many plans: `make simulate` makes them all.
STRIDE = 3


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return Simulation(mirrored(Path()))


def severed(simulation: Simulation) -> list[Plan]:
    return [plan for plan in simulation.plans() if plan.faults[0].do in ("partition", "cut")]


def run(simulation: Simulation, do: Deed, cluster: str) -> tuple[Outcome, float]:
    """And when it happens: the first write to the other cluster is about to be made."""
    outcome = simulation.run(Plan(0, (Fault(do, THERE, seconds=30.0, object=cluster),)))
    return outcome, next(step.elapsed for step in outcome.steps if step.request == THERE)


def answered(outcome: Outcome, cluster: str, begin: float, end: float) -> list[Step]:
    steps = [step for step in outcome.steps if step.process == "controller" and cluster_of(step.request) == cluster]
    return [step for step in steps if step.status and begin < step.elapsed < end]


def test_what_is_in_each_cluster_is_judged(simulation: Simulation) -> None:
    outcome = simulation.run(Plan(0))

    assert outcome.state["configmaps/default/kept: .data.text"] == "second"
    assert outcome.state[f"{PARIS}:configmaps/default/kept: .data.text"] == "second"
    assert outcome.counts[f"{PARIS}:configmaps/default/gone"] == (1, 1)
    assert f"WATCH {PARIS}:/api/v1/configmaps" in outcome.open_watches


@pytest.mark.parametrize("do", ["partition", "cut"])
def test_nothing_gets_to_a_cluster_that_is_cut_off_and_all_does_afterwards(simulation: Simulation, do: Deed) -> None:
    outcome, begin = run(simulation, do, PARIS)

    assert not answered(outcome, PARIS, begin, begin + 30.0)
    assert answered(outcome, PARIS, begin + 30.0, begin + 60.0)


def test_a_connection_that_is_refused_fails_at_once_and_one_that_hangs_does_not(simulation: Simulation) -> None:
    failed = {}
    for do in ("partition", "cut"):
        outcome, begin = run(simulation, do, PARIS)
        failed[do] = next(step.elapsed for step in outcome.steps if step.elapsed > begin) - begin

    assert failed["cut"] < failed["partition"]


def test_the_own_cluster_goes_on_while_the_other_one_is_away(simulation: Simulation) -> None:
    plan = Plan(0, (Fault("partition", HERE, seconds=30.0, object=PARIS),))

    outcome = simulation.run(plan)

    begin = next(step.elapsed for step in outcome.steps if "partition" in step.note)
    made = [step for step in answered(outcome, "", begin - 0.001, begin + 30.0) if step.is_effective]
    assert {step.request for step in made} >= {HERE, f"PATCH {MAPS}/gone"}


def test_a_run_does_not_end_before_its_network_is_whole(simulation: Simulation) -> None:
    last = f"DELETE {PARIS}:{MAPS}/gone"

    outcome = simulation.run(Plan(0, (Fault("partition", last, seconds=500.0, object=PARIS),)))

    assert outcome.counts[f"{PARIS}:configmaps/default/gone"] == (1, 1)
    assert outcome.steps[-1].elapsed > 500.0


def test_a_controller_of_two_clusters_survives_that_either_is_away(simulation: Simulation) -> None:
    report = simulation.check(severed(simulation)[::STRIDE])

    assert not report.failures, SimulationFailed(report, str)
    assert report.plans > 10


@pytest.mark.parametrize("name", ["unreachable-is-gone", "unreachable-is-done"])
def test_who_takes_silence_for_an_answer_is_caught(name: str, tmp_path: Path) -> None:
    mutant = mutant_named(name)
    with changed(mutant.changes):
        simulation = Simulation(mutant.scenario(tmp_path))

        report = simulation.check(severed(simulation), stop_at_first=True)

    assert {violation.oracle for failure in report.failures for violation in failure.violations} & {"O1", "O2"}


def test_a_cluster_that_there_is_not_cannot_be_connected() -> None:
    refusals: set[str] = set()

    def register(manager: Manager) -> None:
        try:
            manager.clusters.connect("rome", StaticCredentials(ClusterAddress("https://rome")))
        except ConfigurationError as error:
            refusals.add(str(error))

    def nothing(_user: User) -> None:
        """Enough that it starts."""

    Simulation(Scenario({"controller": register}, nothing, remotes=(PARIS,))).run(Plan(0))

    assert refusals == {"there is no cluster 'rome'; known: paris"}
