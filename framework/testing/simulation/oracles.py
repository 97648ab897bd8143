"""Judges a run by runs of the same scenario in which nothing went wrong."""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import lru_cache
from typing import Any

from framework.testing.simulation.outcome import Outcome, Violation

_MOST_DIFFERENCES = 3
_ABSENT = "(absent)"


class Oracles:
    """What differs between two runs without faults, because their seeds differ, is nobody's fault in a third one."""

    def __init__(self, references: Sequence[Outcome], masked: Sequence[str] = ()) -> None:
        self.reference = references[0]
        self._patterns = tuple(masked)
        self._masked_state = _differing([outcome.state for outcome in references])
        self._masked_counts = _differing([outcome.counts for outcome in references])

    def judge(self, outcome: Outcome, *, has_same_counts: bool = True) -> list[Violation]:
        return [*outcome.violations, *self._compare(outcome, has_same_counts=has_same_counts)]

    def _compare(self, outcome: Outcome, *, has_same_counts: bool) -> Iterator[Violation]:
        reference = self.reference
        expected, found = self._compared(reference.state), self._compared(outcome.state)
        if difference := _difference(expected, found, self._masked_state):
            yield Violation("O1", f"the end is another: {difference}")
        if has_same_counts and (difference := _difference(reference.counts, outcome.counts, self._masked_counts)):
            yield Violation("O2", f"created and deleted another number of times: {difference}")
        missing = sorted(set(reference.open_watches) - set(outcome.open_watches))
        if missing:
            yield Violation("O8", f"nobody watches any more: {', '.join(missing)}")

    def _compared(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self._patterns:
            return state
        return {path: value for path, value in state.items() if not _is_masked(path, self._patterns)}


@lru_cache(4096)
def _is_masked(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(path, each) for each in patterns)


def _differing(mappings: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    first, *others = mappings
    paths = {path for mapping in mappings for path in mapping}
    return frozenset(
        path for path in paths if any(mapping.get(path, _ABSENT) != first.get(path, _ABSENT) for mapping in others)
    )


def _difference(expected: Mapping[str, Any], found: Mapping[str, Any], masked: frozenset[str]) -> str:
    paths = [*expected, *(path for path in found if path not in expected)]
    differences = [
        f"{path} is {found.get(path, _ABSENT)!r}, not {expected.get(path, _ABSENT)!r}"
        for path in paths
        if path not in masked and found.get(path, _ABSENT) != expected.get(path, _ABSENT)
    ]
    more = len(differences) - _MOST_DIFFERENCES
    return "; ".join(differences[:_MOST_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")
