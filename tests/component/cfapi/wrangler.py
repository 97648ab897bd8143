"""The real wrangler, as a developer runs it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.component.cfapi.world import ACCOUNT, TOKENS

_LIMIT_SECONDS = 240.0


class Wrangler:
    """One project folder and one account."""

    def __init__(self, program: Path, base_url: str, folder: Path, token: str = TOKENS["write"]) -> None:
        self.folder = folder / "project"
        self.folder.mkdir(exist_ok=True)
        self._program = program
        self._environment = {
            # An installation may bring the Node that it needs.
            "PATH": f"{self._program.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "CLOUDFLARE_API_BASE_URL": base_url,
            "CLOUDFLARE_API_TOKEN": token,
            "CLOUDFLARE_ACCOUNT_ID": ACCOUNT,
            "WRANGLER_SEND_METRICS": "false",
            "CI": "1",
            "NO_COLOR": "1",
        }

    def write(self, name: str, code: str, file: str = "index.js", **config: Any) -> None:
        """The script *name*, and wrangler's configuration for it."""
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
        settings = {"name": name, "main": file, "compatibility_date": "2024-01-01", **config}
        (self.folder / "wrangler.json").write_text(json.dumps(settings))

    def answers(self, name: str, text: str, **config: Any) -> None:
        """A script that answers with *text*."""
        self.write(name, f'export default {{ fetch() {{ return new Response("{text}"); }} }};', **config)

    def __call__(self, *arguments: str, stdin: str = "", code: int = 0) -> str:
        """Run it, expect that exit code, and return all that it said."""
        done = subprocess.run(
            [self._program, *arguments],
            cwd=self.folder,
            env=self._environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{' '.join(arguments)}\nexit {done.returncode}\n{said}"
        return said

    def without_account(self) -> "Wrangler":
        """wrangler finds out by itself which account there is."""
        del self._environment["CLOUDFLARE_ACCOUNT_ID"]
        return self
