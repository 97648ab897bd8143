"""kubectl reads the same from our documents as from those of the real server."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from framework.testing.control_plane import ControlPlane
from tests.conformance.api import Api
from tests.conformance.discovery.served import ServedDocuments

Run = Callable[..., str]
EXPLANATIONS = [
    ["configmap.data"],
    ["requeststate"],
    ["requeststate.spec", "--recursive"],
    ["requeststate.status.history"],
    ["deployment.spec.strategy"],
    ["pod.spec.containers.resources", "--recursive"],
    ["crd.spec.versions.schema"],
    ["events.regarding", "--api-version=events.k8s.io/v1"],
]


@pytest.fixture(params=["built", "on the path"])
def program(request: pytest.FixtureRequest, binaries: Path) -> str:
    found = str(binaries / "kubectl") if request.param == "built" else shutil.which("kubectl")
    if found is None or not Path(found).exists():
        pytest.skip(f"no kubectl {request.param}")
    return found


@pytest.fixture
def ours(program: str, served: ServedDocuments, tmp_path: Path) -> Run:
    return _kubectl(program, tmp_path / "ours", "--server", served.url, kubeconfig=os.devnull)


@pytest.fixture
def theirs(program: str, control_plane: ControlPlane, real: Api, tmp_path: Path) -> Run:
    return _kubectl(program, tmp_path / "theirs", kubeconfig=str(control_plane.kubeconfig))


@pytest.mark.parametrize("arguments", EXPLANATIONS, ids=lambda arguments: arguments[0])
def test_explanations_are_equal(ours: Run, theirs: Run, arguments: list[str]) -> None:
    assert ours("explain", *arguments) == theirs("explain", *arguments)


def test_resources_are_listed_alike(ours: Run, theirs: Run) -> None:
    mine = [line.split() for line in ours("api-resources", "--no-headers", "-o", "wide").splitlines()]

    known = [line.split() for line in theirs("api-resources", "--no-headers", "-o", "wide").splitlines()]
    assert mine == [line for line in known if line in mine]


def test_versions_are_listed_alike(ours: Run, theirs: Run) -> None:
    mine = ours("api-versions").splitlines()

    assert mine == [line for line in theirs("api-versions").splitlines() if line in mine]


def test_the_version_of_the_server_is_understood(ours: Run) -> None:
    assert "Server Version: v1.36.3+windlass" in ours("version")


def _kubectl(program: str, cache: Path, *options: str, kubeconfig: str) -> Run:
    environment = {**os.environ, "KUBECONFIG": kubeconfig, "HOME": str(cache)}

    def run(*arguments: str) -> str:
        command = [program, "--cache-dir", str(cache), *options, *arguments]
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    return run
