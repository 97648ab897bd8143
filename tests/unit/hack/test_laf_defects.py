"""The page of defects names tests that exist, for every defect."""

import ast
import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_REFERENCE = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
_ROWS = [
    line.strip("|").split("|")
    for line in (_ROOT / "docs" / "laf-defects.md").read_text().splitlines()
    if line.startswith("| ") and "shown here by" not in line
]


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row[0].strip())
def test_a_defect_has_a_test(row: list[str]) -> None:
    references = _REFERENCE.findall(row[1])

    assert references
    for path, name in references:
        functions = [each.name for each in ast.walk(ast.parse((_ROOT / path).read_text())) if hasattr(each, "name")]
        assert name in functions, f"{path} has no {name}"


def test_every_defect_of_the_list_is_there() -> None:
    assert len(_ROWS) == 31
