"""Renders what the cases came to as Markdown."""

from collections.abc import Iterable, Mapping
from typing import Any

from hack.fidelity.catalogue import SECTIONS

# By behaviour: the number of cases and, for each server, how many passed, failed or were skipped.
Report = Mapping[str, Mapping[str, Any]]
_NOTHING: Mapping[str, Any] = {"cases": 0, "embedded": {}, "real": {}}


def full(report: Report) -> str:
    """One row for each behaviour."""
    rows = [
        (name, line, str(_of(report, name)["cases"]), *_verdicts([_of(report, name)]))
        for section in SECTIONS.values()
        for name, line in section.items()
    ]
    return _markdown(("", "behaviour", "cases", "embedded", "real"), rows)


def compact(report: Report) -> str:
    """One row for each section."""
    rows = []
    for title, behaviours in SECTIONS.items():
        found = [_of(report, name) for name in behaviours]
        names = [*behaviours]
        cases = sum(one["cases"] for one in found)
        rows.append((f"{names[0]}-{names[-1]}", title, str(cases), *_verdicts(found)))
    return _markdown(("", "behaviours", "cases", "embedded", "real"), rows)


def between(text: str, name: str, content: str) -> str:
    """*text* with *content* between the two comments that mark the generated part *name*."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    head, _, rest = text.partition(begin)
    _, mark, tail = rest.partition(end)
    if not mark:
        raise ValueError(f"the comments {begin} and {end} are missing")
    return f"{head}{begin}\n{content}{end}{tail}"


def is_perfect(report: Report) -> bool:
    return all(_of(report, name)["cases"] for section in SECTIONS.values() for name in section) and not any(
        one[server].get("failed") for one in report.values() for server in ("embedded", "real")
    )


def _of(report: Report, name: str) -> Mapping[str, Any]:
    return report.get(name, _NOTHING)


def _verdicts(found: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    found = list(found)
    return _verdict([one["embedded"] for one in found]), _verdict([one["real"] for one in found])


def _verdict(counts: Iterable[Mapping[str, int]]) -> str:
    counts = list(counts)
    passed = sum(one.get("passed", 0) for one in counts)
    failed = sum(one.get("failed", 0) for one in counts)
    if failed:
        return f"**{passed} of {passed + failed}**"
    return f"{passed} ✓" if passed else "-"


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---", "---", "--:", "--:", "--:"), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
