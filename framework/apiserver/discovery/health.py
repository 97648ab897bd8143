"""`/healthz`, `/livez` and `/readyz`."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from framework.http.exchange import Answer


class HealthCheck(msgspec.Struct, frozen=True):
    name: str
    is_healthy: Callable[[], bool]


_PING = HealthCheck("ping", lambda: True)
_HEADERS = {
    "Cache-Control": "no-cache, private",
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
}


class HealthChecks:
    """What `livez` and `readyz` ask; `healthz` asks what `livez` does."""

    def __init__(self, *, live: Sequence[HealthCheck] = (), ready: Sequence[HealthCheck] = ()) -> None:
        alive = (_PING, *live)
        self._checks: Mapping[str, Sequence[HealthCheck]] = {
            "healthz": alive,
            "livez": alive,
            "readyz": (*alive, *ready),
        }

    def paths(self) -> Sequence[str]:
        return [
            path
            for endpoint, checks in self._checks.items()
            for path in (f"/{endpoint}", *(f"/{endpoint}/{check.name}" for check in checks))
        ]

    def answer(self, path: str, query: Mapping[str, Sequence[str]]) -> Answer | None:
        """The answer at *path*; None if there is no such check."""
        endpoint, _, name = path.removeprefix("/").partition("/")
        checks = self._checks.get(endpoint)
        if checks is None or path.endswith("/"):
            return None
        if not name:
            return _all_of(endpoint, checks, query)
        return next((_one(check) for check in checks if check.name == name), None)


def _one(check: HealthCheck) -> Answer:
    if check.is_healthy():
        return Answer(200, _HEADERS, b"ok")
    return Answer(500, _HEADERS, b"internal server error: not healthy\n")


def _all_of(endpoint: str, checks: Sequence[HealthCheck], query: Mapping[str, Sequence[str]]) -> Answer:
    excluded = set(query.get("exclude", ()))
    lines, is_failed = [], False
    for check in checks:
        if check.name in excluded:
            lines.append(f"[+]{check.name} excluded: ok\n")
        elif check.is_healthy():
            lines.append(f"[+]{check.name} ok\n")
        else:
            lines.append(f"[-]{check.name} failed: reason withheld\n")
            is_failed = True
    if unknown := sorted(excluded - {check.name for check in checks}):
        names = ",".join(f'"{name}"' for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}\n")
    if is_failed:
        return Answer(500, _HEADERS, f"{''.join(lines)}{endpoint} check failed\n".encode())
    if "verbose" not in query:
        return Answer(200, _HEADERS, b"ok")
    return Answer(200, _HEADERS, f"{''.join(lines)}{endpoint} check passed\n".encode())
