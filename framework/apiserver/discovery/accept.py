"""Reads Accept headers."""

from collections.abc import Mapping, Sequence

import msgspec


class MediaRange(msgspec.Struct, frozen=True):
    """One alternative, e.g. `application/json;as=Table;g=meta.k8s.io;v=v1`."""

    type: str
    parameters: Mapping[str, str] = {}

    def fits(self, media_type: str) -> bool:
        main, _, _ = media_type.partition("/")
        return self.type in (media_type, f"{main}/*", "*/*")


def media_ranges(header: str) -> Sequence[MediaRange]:
    """The alternatives of *header*, the best first; anything goes if there is no header."""
    clauses = [clause for clause in header.split(",") if clause.strip()]
    if not clauses:
        return (MediaRange("*/*"),)
    weighed = [_weighed(clause) for clause in clauses]
    return [found for quality, found in sorted(weighed, key=lambda pair: -pair[0]) if quality > 0]


def _weighed(clause: str) -> tuple[float, MediaRange]:
    media_type, *pairs = (part.strip() for part in clause.split(";"))
    parameters = dict(_parameter(pair) for pair in pairs if pair)
    quality = _quality(parameters.pop("q", "1"))
    return quality, MediaRange(media_type.lower(), parameters)


def _parameter(pair: str) -> tuple[str, str]:
    name, _, value = pair.partition("=")
    return name.strip().lower(), value.strip().strip('"')


def _quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
