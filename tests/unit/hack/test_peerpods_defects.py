"""The page of upstream's defects names tests that exist, for every defect."""

import ast
import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_REFERENCE = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (_ROOT / "docs" / "peerpods" / "defects.md").read_text().splitlines()
    if re.match(r"\| \d", line)
]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[1])
def test_a_defect_has_a_test(row: list[str]) -> None:
    references = _REFERENCE.findall(row[2])

    assert len(references) == row[2].count("::") > 0
    for path, name in references:
        functions = [each.name for each in ast.walk(ast.parse((_ROOT / path).read_text())) if hasattr(each, "name")]
        assert name in functions, f"{path} has no {name}"


def test_a_defect_that_is_said_to_be_a_mutant_is_one() -> None:
    page = (_ROOT / "docs" / "peerpods" / "defects.md").read_text()
    (said,) = re.findall(r"The simulation catches ([\d, toand]+), under", page)
    known = (_ROOT / "docs" / "mutants.md").read_text()
    mutants = " ".join(re.findall(r"peer pods, ([\d, toand]+)", known))

    assert _numbers(said) <= _numbers(mutants)


def test_every_defect_of_the_specification_is_there_in_its_order() -> None:
    assert [int(row[0]) for row in _ROWS] == list(range(1, 36))


def _numbers(text: str) -> set[int]:
    """Of "1 to 3, 5 and 7"."""
    spans = re.findall(r"(\d+)(?: to (\d+))?", text)
    return {number for first, last in spans for number in range(int(first), int(last or first) + 1)}
