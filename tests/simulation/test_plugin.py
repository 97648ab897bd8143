"""The plugin as somebody uses it who follows `docs/testing-your-controller.md`."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "testing-your-controller.md"


def code_of_the_guide() -> list[str]:
    return re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_copies.py").write_text(code_of_the_guide()[0])
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_a_failing_plan_is_printed_as_a_line_that_repeats_it(folder: Path) -> None:
    first = run_pytest(folder)

    lines = re.findall(r"replay: pytest (.*)", first.stdout)
    assert lines, first.stdout
    assert "O1: the end is another: configmaps/default/copy: .data.a is '(absent)', not '1'" in first.stdout
    again = run_pytest(folder, *shlex.split(lines[0]))
    assert "1 plans in" in again.stdout, again.stdout
    assert "O1: the end is another: configmaps/default/copy: .data.a is '(absent)', not '1'" in again.stdout


def test_the_guide_mends_its_controller(folder: Path) -> None:
    buggy, mended, _ = code_of_the_guide()
    before, _, rest = buggy.partition("    def reconcile")
    after = rest.partition("\n\n\ndef register")[2]
    (folder / "test_copies.py").write_text(f"{before}{mended}\n\ndef register{after}")

    result = run_pytest(folder)

    assert result.returncode == 0, result.stdout


def test_what_is_no_plan_is_refused(folder: Path) -> None:
    result = run_pytest(folder, "--windlass-plan={]")

    assert "this is no fault plan" in result.stdout
