"""Whether a mutant is caught by ordinary tests alone."""

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.simulation.mutants.mutant import Mutant

_ROOT = Path(__file__).parents[3]
_PASSED, _FAILED = 0, 1
_TEST_LIMIT_SECONDS = 60
_LIMIT_SECONDS = 1200


def is_caught(mutant: Mutant) -> bool | None:
    """By the unit tests, and those on an embedded server, of the code that is changed; None if there are none."""
    if not mutant.ordinary_tests:
        return None
    _check_sound(mutant.ordinary_tests)
    code = _run(["-p", "tests.simulation.mutants.under_test", f"--mutant={mutant.name}", *mutant.ordinary_tests])
    return code == _FAILED


@cache
def _check_sound(tests: Sequence[str]) -> None:
    if _run(tests) != _PASSED:
        raise RuntimeError(f"without a mutant these tests must pass: {', '.join(tests)}")


def _run(arguments: Sequence[str]) -> int:
    options = ["-q", "-x", "-n0", "-p", "no:cacheprovider", f"--timeout={_TEST_LIMIT_SECONDS}"]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    finished = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False)
    if finished.returncode not in (_PASSED, _FAILED):
        raise RuntimeError(f"pytest did not get to its end: {finished.stdout}{finished.stderr}")
    return finished.returncode
