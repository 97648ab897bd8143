"""Named checks behind /healthz and /readyz."""

from collections.abc import Callable

# None: fine; otherwise one line that says what is wrong.
Check = Callable[[], str | None]


class Checks:
    def __init__(self) -> None:
        self._checks: dict[str, Check] = {}

    def add(self, name: str, check: Check) -> None:
        self._checks[name] = check

    def remove(self, name: str) -> None:
        self._checks.pop(name, None)

    def problems(self) -> dict[str, str]:
        found = {name: check() for name, check in list(self._checks.items())}
        return {name: problem for name, problem in found.items() if problem is not None}

    def report(self) -> tuple[bool, str]:
        """Whether all is well, and a line for each check in the format of the API server's own endpoint."""
        problems = self.problems()
        lines = [f"[-]{name}: {problems[name]}" if name in problems else f"[+]{name} ok" for name in self._checks]
        verdict = "check failed" if problems else "ok"
        return not problems, "\n".join([*lines, verdict, ""])
