"""Same seed, same trace, byte for byte; also in another process with other hashes, and whatever was run before."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from framework.testing.simulation import Plan, Simulation
from tests.simulation.scenarios import SCENARIOS

# For each scenario: hundreds in all.
SEEDS = range(25)
PROGRAM = """
import sys
from pathlib import Path
from tests.simulation.test_reproducible import hashes_of
print("\\n".join(reversed(hashes_of(sys.argv[1], Path(sys.argv[2]), is_backwards=True))))
"""


def hashes_of(name: str, folder: Path, *, is_backwards: bool = False) -> list[str]:
    """Of the traces of one run for each seed, each with faults of its own."""
    simulation = Simulation(SCENARIOS[name](folder))
    plans = list(simulation.random_plans(SEEDS))
    runs = map(simulation.run, reversed(plans) if is_backwards else plans)
    return [sha256(outcome.trace.encode()).hexdigest() for outcome in runs]


def hashes_of_another_process(name: str, folder: Path) -> list[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, name, str(folder)],
        env={**os.environ, "PYTHONHASHSEED": "random"},
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    ).stdout.split()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_seed_gives_the_same_trace(name: str, tmp_path: Path) -> None:
    first = hashes_of(name, tmp_path / "first")

    assert hashes_of_another_process(name, tmp_path / "second") == first
    assert len(first) == len(SEEDS)


def test_other_seeds_give_other_traces(tmp_path: Path) -> None:
    simulation = Simulation(SCENARIOS["requeststate"](tmp_path))

    assert len({simulation.run(Plan(seed)).trace for seed in range(5)}) == 5
