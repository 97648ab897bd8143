"""Which endpoint a path leads to."""

from collections.abc import Iterable, Mapping
from urllib.parse import unquote

import msgspec

from controllers.cfapi.request import Endpoint


class Route(msgspec.Struct, frozen=True):
    """*pattern* has {names} where a path has a part of its own."""

    method: str
    pattern: str
    endpoint: Endpoint


class Match(msgspec.Struct, frozen=True):
    route: Route
    parameters: Mapping[str, str]


class Router:
    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes: dict[tuple[str, int], list[tuple[Route, list[str]]]] = {}
        for route in routes:
            segments = route.pattern.strip("/").split("/")
            self._routes.setdefault((route.method, len(segments)), []).append((route, segments))

    def match(self, method: str, path: str) -> Match | None:
        """*path* is as it came: a slash that is encoded does not divide it."""
        segments = path.strip("/").split("/")
        for route, pattern in self._routes.get((method, len(segments)), ()):
            parameters = _parameters(pattern, segments)
            if parameters is not None:
                return Match(route, parameters)
        return None


def _parameters(pattern: list[str], segments: list[str]) -> dict[str, str] | None:
    parameters: dict[str, str] = {}
    for wanted, segment in zip(pattern, segments, strict=True):
        if wanted.startswith("{"):
            if not segment:
                return None
            parameters[wanted[1:-1]] = unquote(segment)
        elif wanted != segment:
            return None
    return parameters
