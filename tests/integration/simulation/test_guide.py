"""What `docs/testing-your-controller.md` says of a real control plane."""

from pathlib import Path

import pytest

from tests.simulation.test_plugin import code_of_the_guide, run_pytest

pytestmark = pytest.mark.xdist_group("replay")


def test_the_bug_of_the_guide_is_found_for_real(binaries: Path, tmp_path: Path) -> None:
    buggy, _, for_real = code_of_the_guide()
    (tmp_path / "test_copies.py").write_text(buggy)
    (tmp_path / "test_for_real.py").write_text(for_real)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    result = run_pytest(tmp_path, "test_for_real.py")

    assert "O1" in result.stdout, result.stdout
    assert "the end is another: configmaps/default/copy: .data.a is '(absent)', not '1'" in result.stdout
