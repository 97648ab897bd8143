"""Programs of others, as their users run them."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LIMIT_SECONDS = 90.0


class Program:
    """One executable with the same environment and first arguments each time."""

    def __init__(self, path: Path, environment: Mapping[str, str], arguments: tuple[str, ...] = ()) -> None:
        self._command = (str(path), *arguments)
        self._environment = {"PATH": os.environ.get("PATH", ""), **environment}

    def with_arguments(self, *arguments: str) -> "Program":
        """The same with further first arguments."""
        path, *before = self._command
        return Program(Path(path), self._environment, (*before, *arguments))

    def with_environment(self, **variables: str) -> "Program":
        path, *before = self._command
        return Program(Path(path), {**self._environment, **variables}, tuple(before))

    def __call__(self, *arguments: str, stdin: str | None = None, code: int = 0) -> str:
        """Run it, expect that exit code, and return what it printed; on a failure also what it said about it."""
        finished = self.run(*arguments, stdin=stdin)
        said = f"{' '.join(arguments)}\nexit {finished.returncode}\n{finished.stdout}{finished.stderr}"
        assert finished.returncode == code, said
        return finished.stdout if code == 0 else finished.stdout + finished.stderr

    def run(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._command, *arguments],
            env=self._environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )

    @contextmanager
    def lines(self, *arguments: str) -> Iterator[IO[str]]:
        """Its output while it runs; ends it at the end of the block."""
        with subprocess.Popen(
            [*self._command, *arguments], env=self._environment, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            try:
                yield process.stdout
            finally:
                process.kill()
