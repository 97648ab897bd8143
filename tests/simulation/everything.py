"""Runs all plans of every scenario and SEEDS random ones, on all cores: what `make simulate` does."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from framework.testing.simulation import Plan, Report, Scenario, Simulation, SimulationFailed, Workers
from tests.simulation.scenarios import ALL

DEFAULT_SEEDS = 1000


def scenario_named(name: str, folder: Path) -> Scenario:
    return ALL[name](folder)


def share_of(name: str, seeds: int) -> range:
    """Each seed is used for one scenario only."""
    return range(1 + list(ALL).index(name), seeds + 1, len(ALL))


def simulate_all(seeds: int) -> Iterator[tuple[str, Report]]:
    with Workers(scenario_named) as workers:
        for name in ALL:
            reference = workers.check(name, [Plan()])
            plans = [] if reference.failures else workers.plans(name, share_of(name, seeds))
            report = reference + workers.check(name, plans)
            with tempfile.TemporaryDirectory() as folder:
                yield name, Simulation(scenario_named(name, Path(folder))).shrunk(report) if report.failures else report


def main() -> int:
    total = Report()
    for name, report in simulate_all(int(os.environ.get("SEEDS") or DEFAULT_SEEDS)):
        print(f"{name:<15} {report}", flush=True)  # noqa: T201 - a table for a person
        if report.failures:
            print(SimulationFailed(report, str))  # noqa: T201 - as above
        total += report
    times = os.times()
    milliseconds = 1000 * (times.children_user + times.children_system) / total.plans
    print(f"{'all':<15} {total}, {milliseconds:.1f} ms of processor time each")  # noqa: T201 - as above
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
