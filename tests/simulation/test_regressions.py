"""The plans under which our own code once failed."""

from pathlib import Path

import pytest

from framework.testing.simulation import plan_from
from tests.simulation.mutants.mutant import changed
from tests.simulation.mutants.population import mutant_named
from tests.simulation.scenarios import SCENARIOS

REQUESTS = "/apis/com.redhat.ecosystem.sample/v1/namespaces/default/requeststates/one"
SITE = "/apis/example.dev/v1/namespaces/default/websites/one"
FIRST_IMAGE = (
    f'{{"acts":[{{"do":"create","path":"{SITE}","body":{{"apiVersion":"example.dev/v1","kind":"Website","metadata":'
    f'{{"name":"one"}},"spec":{{"image":"web:1"}}}}}},{{"do":"wait"}},'
    f'{{"do":"edit","path":"{SITE}","body":{{"spec":{{"image":"web"}}}}}}]}}'
)
# By what was found: the scenario, the plan, and the mutant that has the bug.
FOUND = {
    "the director forgot a request after a 409 that no event followed": (
        "requeststate",
        f'{{"faults":[{{"do":"answer","request":"PATCH {REQUESTS}/status","process":"director","code":409}}]}}',
        "director-swallows",
    ),
    "the worker forgot a request after a 409 that no event followed": (
        "requeststate",
        f'{{"faults":[{{"do":"answer","request":"PATCH {REQUESTS}/status","process":"worker","code":409}}]}}',
        "409-means-event",
    ),
    "a child was made thousands of times for an owner that only the cache still had": (
        "website",
        '{"faults":[{"do":"hold_event","request":"WATCH /apis/example.dev/v1/websites","event":4,"seconds":20.0}]}',
        "owner-not-checked",
    ),
    "the pull policy stayed that of the first image": (
        "website",
        FIRST_IMAGE,
        "default-of-the-first-spec",
    ),
    "what was written in another cluster was overwritten without having been seen": (
        "mirrored",
        '{"faults":[{"do":"cut_off","request":"WATCH paris:/api/v1/configmaps","event":3,"seconds":90.0}]}',
        "overwrites-the-unseen",
    ),
}


@pytest.mark.parametrize(("scenario", "plan", "mutant"), FOUND.values(), ids=FOUND)
def test_it_is_mended(scenario: str, plan: str, mutant: str, tmp_path: Path) -> None:
    simulation = mutant_named(mutant).simulation(SCENARIOS[scenario](tmp_path))

    assert simulation.judge(plan_from(plan)) == ()


@pytest.mark.parametrize(("scenario", "plan", "mutant"), FOUND.values(), ids=FOUND)
def test_the_plan_still_finds_it(scenario: str, plan: str, mutant: str, tmp_path: Path) -> None:
    with changed(mutant_named(mutant).changes):
        simulation = mutant_named(mutant).simulation(SCENARIOS[scenario](tmp_path))

        assert simulation.judge(plan_from(plan)) != ()
