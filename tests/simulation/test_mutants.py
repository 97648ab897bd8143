"""The simulation finds known bugs; the plan that found each of them before is tried first."""

from pathlib import Path

import pytest

from tests.simulation.mutants.mutant import Mutant, hunt, is_caught_by
from tests.simulation.mutants.ordinary import is_caught
from tests.simulation.mutants.population import MUTANTS, mutant_named
from tests.simulation.mutants.record import PAGE, page_of, read_records

RECORDS = read_records()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    plan = RECORDS[mutant.name].finding.plan

    assert is_caught_by(plan, mutant, tmp_path) or hunt(mutant, tmp_path) is not None


def test_no_two_mutants_have_one_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) == len(RECORDS)


def test_the_page_says_what_is_recorded() -> None:
    assert PAGE.read_text() == page_of(RECORDS)


@pytest.mark.parametrize("name", ["finalizer-first", "copy-while-deleted"])
def test_ordinary_tests_catch_what_is_recorded(name: str) -> None:
    assert is_caught(mutant_named(name)) == RECORDS[name].is_caught_by_tests
