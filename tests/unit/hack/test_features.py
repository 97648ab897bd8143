"""The page that compares features claims nothing that no test shows."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_PAGE = (_ROOT / "docs" / "features.md").read_text()
_ASKS = 26
_COLUMNS = ["Feature", "Windlass", "CG", "CR", "KRS", "KOPF", "JO", "MC", "SH", "K8S", "LK", "PY"]
_REFERENCE = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
_VERDICT = re.compile(r"\[([YPN][^\]]*)\]\(#([\w-]+)\)")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", _PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, f"no section {title!r}"
    return found[1]


def matrix() -> list[list[str]]:
    """The rows, the header first; without the line below it and those that only name a group."""
    lines = [line for line in section("The matrix").splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if not row[0].startswith(("**", "--"))]


def entries() -> dict[str, str]:
    """What is said of each feature, by its anchor."""
    parts = re.split(r'^- <a id="([\w-]+)"></a>', section("What shows it"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def asks() -> list[tuple[int, str]]:
    """Number and text of each."""
    parts = re.split(r"^(\d+)\. ", section("What users ask for"), flags=re.MULTILINE)
    return [(int(number), text) for number, text in zip(parts[1::2], parts[2::2], strict=True)]


def verdict(cell: str) -> tuple[str, str]:
    """Y, P or N, and the anchor that it leads to; what is not wholly there is P."""
    found = _VERDICT.fullmatch(cell)
    assert found is not None, f"no verdict: {cell}"
    return ("P" if "P" in found[1] else found[1][0]), found[2]


def names_in(path: Path) -> set[str]:
    """The functions of a file, and what it takes over from another so that it runs here as well."""
    body = ast.parse(path.read_text()).body
    own = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return own | {alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}


FEATURES = [(row[0], *verdict(row[1])) for row in matrix()[1:]]


@pytest.mark.parametrize("path", sorted({path for path, _ in _REFERENCE.findall(_PAGE)}))
def test_every_test_that_is_named_exists(path: str) -> None:
    named = {name for file, name in _REFERENCE.findall(_PAGE) if file == path}

    assert named - names_in(_ROOT / path) == set()


def test_every_link_of_a_test_leads_to_its_file() -> None:
    links = re.findall(r"\[`(tests/[^`]+)`\]\(([^)]+)\)", _PAGE)

    assert len(links) == len(_REFERENCE.findall(_PAGE)), "a test is named without a link"
    assert [(text, target) for text, target in links if f"../{text.partition('::')[0]}" != target] == []


def test_every_other_link_leads_somewhere() -> None:
    titles = re.findall(r"^#+ (.+)$", _PAGE, re.MULTILINE)
    anchors = {*entries(), *(re.sub(r"\W+", "-", title.lower()) for title in titles)}

    for target in re.findall(r"\]\(([^)]+)\)", _PAGE):
        file, _, anchor = target.partition("#")
        assert (_ROOT / "docs" / file).exists() if file else anchor in anchors, target


def test_the_matrix_has_every_framework_in_every_row() -> None:
    header, *rows = matrix()

    assert header == _COLUMNS
    assert [row[0] for row in rows if len(row) != len(_COLUMNS) or not all(row)] == []


@pytest.mark.parametrize(("feature", "answer", "anchor"), FEATURES, ids=[feature[2] for feature in FEATURES])
def test_what_windlass_has_is_shown_by_a_test_and_what_it_has_not_is_told(
    feature: str, answer: str, anchor: str
) -> None:
    said = entries()[anchor]

    assert said.startswith(f"**{feature}** (")
    if answer == "Y":
        assert _REFERENCE.search(said), "a Y that no test shows"
    else:
        assert re.search(r"\):\s+\w", said), "it is not told what is missing"


def test_nothing_is_told_of_features_that_are_not_in_the_matrix() -> None:
    assert [*entries()] == [anchor for _, _, anchor in FEATURES]


def test_every_ask_has_its_number_and_its_answer() -> None:
    assert [number for number, _ in asks()] == [*range(1, _ASKS + 1)]
    for number, text in asks():
        found = re.match(r"\*\*.+?\*\* \*(Done|In part|Open)\.\* ", text)
        assert found is not None, f"ask {number} has no answer"
        assert found[1] == "Open" or _REFERENCE.search(text), f"no test shows the answer to ask {number}"


def test_the_totals_are_those_of_the_page() -> None:
    answers = Counter(answer for _, answer, _ in FEATURES)
    states = Counter(re.findall(r"^\d+\. \*\*.+?\*\* \*([\w ]+)\.\*", section("What users ask for"), re.MULTILINE))

    assert (
        f"Of {len(FEATURES)} features Windlass has {answers['Y']} (Y), {answers['P']} in part (P)"
        f" and {answers['N']} not (N)."
    ) in _PAGE
    assert (
        f"Of {_ASKS} asks {states['Done']} are done, {states['In part']} in part and {states['Open']} open."
    ) in _PAGE
