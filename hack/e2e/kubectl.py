"""kubectl and helm, as their users run them."""

import os
import subprocess
from pathlib import Path


class Kubectl:
    def __init__(self, program: Path, kubeconfig: Path) -> None:
        self._program = program
        self._environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}

    def __call__(self, *arguments: str, stdin: str | None = None) -> str:
        """Its output; an exception with what it said if it fails."""
        done = self.run(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise RuntimeError(f"{self._program.name} {' '.join(arguments[:4])}: {done.stderr.strip()}")
        return done.stdout

    def run(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._program), *arguments],
            env=self._environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
