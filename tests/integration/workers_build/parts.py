"""The real parts of a build that are on this machine, or the reason why a test is skipped."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[3]


@cache
def _wrangler_folder(*flags: str) -> Path:
    command = [str(_REPOSITORY / "hack" / "wrangler" / "install"), "--print-folder", *flags]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip())


def workerd_binary() -> Path:
    found = _wrangler_folder() / "workerd"
    if not found.is_file():
        pytest.skip("no workerd here; `make wrangler` installs it")
    return found.resolve()


def wrangler_program(*, newer: bool = False) -> Path:
    found = _wrangler_folder(*["--newer"] * newer) / "node_modules" / ".bin" / "wrangler"
    if not found.is_file():
        pytest.skip("no wrangler here; `make wrangler` installs it")
    return found


def registry_program() -> Path:
    found = shutil.which("docker-registry", path=f"{os.environ.get('PATH', '')}:/usr/bin")
    if found is None:
        pytest.skip("no docker-registry here; Debian has a package of that name")
    return Path(found)
