"""Same plan, same trace, whatever goes wrong in it."""

from pathlib import Path

import pytest

from framework.testing.simulation import Plan, Simulation
from tests.simulation.scenarios import SCENARIOS


def one_of_each_kind(plans: list[Plan]) -> list[Plan]:
    return list({tuple(fault.do for fault in plan.faults): plan for plan in plans}.values())


@pytest.mark.parametrize("name", ["led", "mirrored", "reviewed", "successors"])
def test_the_same_plan_gives_the_same_trace(name: str, tmp_path: Path) -> None:
    first, second = (Simulation(SCENARIOS[name](tmp_path)) for _ in range(2))
    plans = one_of_each_kind(first.plans())

    assert [first.run(plan).trace for plan in plans] == [second.run(plan).trace for plan in plans]
