"""Random programs have the same answers, events and end states on both servers.

WINDLASS_PROGRAMS says how many, and WINDLASS_PROGRAMS_SEED which ones. A program that fails is told as a line of JSON:
in a file of `regressions` it is run from then on.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.conformance.programs.generation import programs
from tests.conformance.programs.pair import Pair
from tests.conformance.programs.step import Program, read_program

_PROGRAMS = int(os.environ.get("WINDLASS_PROGRAMS", "2000"))
_SEED = int(os.environ.get("WINDLASS_PROGRAMS_SEED", "0"))
_CHUNK = 250
_REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.json"))


@pytest.mark.parametrize("path", _REGRESSIONS, ids=lambda path: path.stem)
def test_a_program_that_once_differed_has_the_same_answers_on_both_servers(path: Path, pair: Pair) -> None:
    pair.run(read_program(path.read_bytes()))


# Making a failing program small takes longer than running all of them.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("chunk", range(0, _PROGRAMS, _CHUNK))
def test_programs_have_the_same_answers_on_both_servers(chunk: int, pair: Pair) -> None:
    @seed(_SEED + chunk)
    @settings(
        max_examples=min(_CHUNK, _PROGRAMS - chunk),
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def run(program: Program) -> None:
        pair.run(program)

    run()
