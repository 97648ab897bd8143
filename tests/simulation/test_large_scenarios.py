"""Controllers that are many together: some of what can go wrong, one thing at a time, and a few random mixes."""

from pathlib import Path

import pytest

from framework.testing.simulation import Plan, Simulation, SimulationFailed, plan_from
from tests.simulation.scenarios import LARGE

_DEPLOYMENT = "/apis/api.worker-deployment/v1alpha1/namespaces/tenant/workerdeployments/acme.hello"
_JOB = "/apis/batch/v1/namespaces/tenant/jobs/acme-40571726f3-job"
_RELEASE = "/apis/api.worker-release/v1alpha1/namespaces/tenant/workerreleases/acme.hello-3d6d7e52e8"
# What went wrong once: a release was made again and again for a WorkerDeployment that only the cache still had; its
# code stayed in the bucket for the sake of a WorkerDeployment that was gone; and who had a clock that was an hour fast
# took the first failure of the bucket, and of the registry, for the end of ten minutes of them; if it was set back, the
# next try of a build was an hour late.
FOUND_ONCE = (
    (
        '{"faults":[{"do":"cut_off","request":"WATCH /apis/api.worker-account/v1alpha1/workeraccounts","event":5,'
        '"seconds":300.0}]}'
    ),
    (
        f'{{"faults":[{{"do":"freeze","request":"PATCH {_RELEASE}/status","nth":4,"seconds":20.0}},'
        f'{{"do":"lose_answer","request":"PATCH {_RELEASE}/status","nth":4,"seconds":0.0}}]}}'
    ),
    f'{{"faults":[{{"do":"jump","request":"PATCH {_DEPLOYMENT}/status","nth":2,"seconds":3600.0}}]}}',
    f'{{"faults":[{{"do":"jump","request":"PATCH {_JOB}/status","seconds":-3600.0}}]}}',
)
EACH_NTH = 180
SEEDS = range(1, 4)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", LARGE)
def test_survives_a_sample_of_everything(name: str, tmp_path: Path) -> None:
    simulation = Simulation(LARGE[name](tmp_path))
    reference = simulation.check([simulation.reference])
    assert not reference.failures, SimulationFailed(reference, str)

    report = simulation.check([*simulation.plans()[::EACH_NTH], *simulation.random_plans(SEEDS)])

    assert not report.failures, SimulationFailed(report, str)


@pytest.mark.timeout(300)
def test_registry_bucket_and_builds_fail_also_where_no_fault_is_planned(tmp_path: Path) -> None:
    outcomes = [Simulation(make(tmp_path / name)).run(Plan()) for name, make in LARGE.items()]

    errors = {str(line.get("error")) for outcome in outcomes for line in outcome.log}
    sorts = ("HEAD", "DELETE", "DeleteObjects")
    assert {f"{sort}: {how}" for sort in sorts for how in ("503 Service Unavailable", "no answer")} <= errors
    state = {path: value for outcome in outcomes for path, value in outcome.state.items() if "jobbuilders" in path}
    assert any(path.endswith(".status.attempts") and value for path, value in state.items())


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", LARGE)
def test_the_same_seed_gives_the_same_trace(name: str, tmp_path: Path) -> None:
    first, second = (Simulation(LARGE[name](tmp_path / each)) for each in ("first", "second"))
    (plan,) = first.random_plans(range(7, 8))

    assert first.run(plan).trace == second.run(plan).trace


@pytest.mark.timeout(300)
def test_what_was_found_once_does_not_come_back(tmp_path: Path) -> None:
    simulation = Simulation(LARGE["workerdepartures"](tmp_path))

    report = simulation.check([plan_from(text) for text in FOUND_ONCE])

    assert not report.failures, SimulationFailed(report, str)
