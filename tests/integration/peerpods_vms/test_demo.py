"""The demo of the page does what it says."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.usefixtures("binaries")
def test_the_demo_shows_a_vm_that_goes_with_its_pod() -> None:
    done = subprocess.run(["make", "peerpods-demo"], cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)

    assert done.returncode == 0, done.stderr
    assert "is running" in done.stdout
    assert "is terminated" in done.stdout
