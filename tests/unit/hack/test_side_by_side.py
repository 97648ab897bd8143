"""The comparison in the docs counts what it shows."""

import re
from pathlib import Path

_ROOT = Path(__file__).parents[3]
_PAGE = (_ROOT / "docs" / "side-by-side.md").read_text()


def lines_of(code: str) -> int:
    """Neither blank ones nor comments, to which a docstring of the whole file belongs."""
    code = re.sub(r'\A"""[^"]*"""\n', "", code)
    return sum(bool(line.strip()) and not line.strip().startswith(("#", "//")) for line in code.splitlines())


def block(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", _PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_lines_are_counted_as_the_table_says_and_ours_are_the_fewest() -> None:
    ours = lines_of((_ROOT / "examples" / "website.py").read_text())
    theirs = [lines_of(block("kopf") + block("kopf-crd")), lines_of(block("controller-runtime"))]

    row = re.search(r"\| lines written by hand[^|]*\| (\d+) \| (\d+) \| (\d+) \|", _PAGE)
    assert row is not None
    assert [int(number) for number in row.groups()] == [ours, *theirs]
    assert ours < min(theirs)
