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


def test_every_defect_of_the_specification_is_there_in_its_order() -> None:
    assert [int(row[0]) for row in _ROWS] == list(range(1, 36))
