"""The tables of `make fidelity`, and that no behaviour is without a case."""

import re
from pathlib import Path
from typing import Any

import pytest

from hack.fidelity.catalogue import BEHAVIOURS, SECTIONS
from hack.fidelity.table import between, compact, full, is_perfect

ROOT = Path(__file__).parent.parent.parent.parent
MARK = re.compile(r'pytest\.mark\.behaviour\("(B\d+)"\)')
BEGIN, END = "<!-- fidelity -->\n", "<!-- /fidelity -->"


def test_every_behaviour_has_its_line_and_its_cases() -> None:
    files = (ROOT / "tests" / "conformance" / "behaviours").glob("test_*.py")
    marked = {name for file in files for name in MARK.findall(file.read_text())}

    assert [*BEHAVIOURS] == [f"B{number}" for number in range(1, 48)]
    assert marked == set(BEHAVIOURS)


def test_the_full_table_has_a_row_for_each_behaviour() -> None:
    table = full({"B1": counts(cases=3, embedded=3, real=3)})

    lines = table.splitlines()
    assert len(lines) == 2 + len(BEHAVIOURS)
    assert lines[2] == f"| B1 | {BEHAVIOURS['B1']} | 3 | 3 ✓ | 3 ✓ |"
    assert lines[3] == f"| B2 | {BEHAVIOURS['B2']} | 0 | - | - |"


def test_the_compact_table_adds_up_each_section() -> None:
    table = compact({"B1": counts(cases=3, embedded=3, real=3), "B2": counts(cases=2, embedded=1, real=2, failed=1)})

    lines = table.splitlines()
    assert len(lines) == 2 + len(SECTIONS)
    assert lines[2] == "| B1-B12 | Identity, versions, writes | 5 | **4 of 5** | 5 ✓ |"


def test_only_what_holds_everywhere_is_perfect() -> None:
    everything = {name: counts(cases=1, embedded=1, real=1) for name in BEHAVIOURS}
    one_failed = {**everything, "B5": counts(cases=1, embedded=0, real=1, failed=1)}
    one_missing = {name: found for name, found in everything.items() if name != "B7"}

    assert is_perfect(everything)
    assert not is_perfect(one_failed)
    assert not is_perfect(one_missing)


def test_only_what_is_between_the_marks_is_replaced() -> None:
    assert between(f"a\n{BEGIN}old\n{END}\nb", "fidelity", "new\n") == f"a\n{BEGIN}new\n{END}\nb"


def test_a_text_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="are missing"):
        between("a", "fidelity", "new")


@pytest.mark.parametrize("file", ["README.md", "docs/fidelity.md"])
def test_the_documents_have_their_marks(file: str) -> None:
    text = (ROOT / file).read_text()

    assert BEGIN in text
    assert END in text


def counts(*, cases: int, embedded: int, real: int, failed: int = 0) -> dict[str, Any]:
    return {
        "cases": cases,
        "embedded": {"passed": embedded, "failed": failed, "skipped": 0},
        "real": {"passed": real, "failed": 0, "skipped": 0},
    }
