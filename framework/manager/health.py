"""Named checks behind /healthz and /readyz."""

from collections.abc import Callable

# None: fine; otherwise one line that says what is wrong.
Check = Callable[[], str | None]


class Checks:
    def __init__(self) -> None:
        self._checks: dict[str, Check] = {}
        self._told_only: set[str] = set()

    def add(self, name: str, check: Check, *, counts: bool = True) -> None:
        """Have *check* asked; one that does not count is told, and all is well without it."""
        (self._told_only.discard if counts else self._told_only.add)(name)
        self._checks[name] = check

    def remove(self, name: str) -> None:
        self._checks.pop(name, None)
        self._told_only.discard(name)

    def problems(self) -> dict[str, str]:
        return {name: problem for name, problem in self._results().items() if problem is not None}

    def report(self) -> tuple[bool, str]:
        """Whether all is well, and a line for each check in the format of the API server's own endpoint."""
        results = self._results()
        is_fine = all(problem is None or name in self._told_only for name, problem in results.items())
        lines = [self._line(name, problem) for name, problem in results.items()]
        return is_fine, "\n".join([*lines, "ok" if is_fine else "check failed", ""])

    def _line(self, name: str, problem: str | None) -> str:
        if problem is None:
            return f"[+]{name} ok"
        return f"[-]{name}: {problem}{' (does not count)' if name in self._told_only else ''}"

    def _results(self) -> dict[str, str | None]:
        # A copy: checks come and go at run time.
        return {name: _result(check) for name, check in dict(self._checks).items()}


def _result(check: Check) -> str | None:
    try:
        problem = check()
    except Exception as error:  # noqa: BLE001 - a check is foreign code; one that fails is no good sign
        problem = f"the check raised {type(error).__name__}: {error}"
    return None if problem is None else " ".join(problem.split())
