"""The pages of scenarios and of upstream's defects name tests that exist, line by line."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_REFERENCE = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows_of(page: str) -> list[list[str]]:
    lines = (_ROOT / "docs" / page).read_text().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if re.match(r"\| \d", line)]


_DEFECTS, _SCENARIOS = rows_of("workers-defects.md"), rows_of("workers-scenarios.md")


@cache
def functions_of(path: str) -> set[str]:
    return {each.name for each in ast.walk(ast.parse((_ROOT / path).read_text())) if isinstance(each, ast.FunctionDef)}


@pytest.mark.parametrize("row", [*_DEFECTS, *_SCENARIOS], ids=lambda row: row[1])
def test_a_line_has_a_test(row: list[str]) -> None:
    references = _REFERENCE.findall(row[2])

    assert len(references) == row[2].count("::") > 0
    for path, name in references:
        assert name in functions_of(path), f"{path} has no {name}"


def test_every_line_of_the_specification_is_there_in_its_order() -> None:
    assert [int(row[0]) for row in _DEFECTS] == list(range(1, 22))
    assert [int(row[0]) for row in _SCENARIOS] == [*range(1, 31), *range(1, 19)]
