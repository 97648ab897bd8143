"""Numbers of completions as a Job's status spells them: `0,2-4`."""

from collections.abc import Iterable


def parse_indexes(text: str) -> set[int]:
    indexes: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first:
            indexes.update(range(int(first), int(last or first) + 1))
    return indexes


def spell_indexes(indexes: Iterable[int]) -> str:
    spans: list[list[int]] = []
    for index in sorted(set(indexes)):
        if spans and spans[-1][1] == index - 1:
            spans[-1][1] = index
        else:
            spans.append([index, index])
    return ",".join(_spell(first, last) for first, last in spans)


def _spell(first: int, last: int) -> str:
    if first == last:
        return str(first)
    # Two in a row are listed, not joined.
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"
