"""The controllers in `examples` do what they say, as programs on a complete cluster."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.conftest import Kubectl, install_definitions, kubectl_of

ROOT = Path(__file__).parents[3]
EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.name != "__init__.py"]
KINDS = ("examples.website:Website", "examples.shared_folder:SharedFolder")
LINE_LIMIT = 80
_LIMIT_SECONDS = 60.0
_MANIFEST = '{{"apiVersion": "example.dev/v1", "kind": "{}", "metadata": {{"name": "first"}}, "spec": {}}}'
Run = Callable[..., None]


@pytest.fixture(scope="module")
def cluster(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """With a node, so that pods run and become ready by themselves."""
    folder = tmp_path_factory.mktemp("examples")
    plane = ControlPlane(binaries, folder / "plane", controller_manager=True, scheduler=True, kwok_nodes=1)
    with plane as started:
        manifests = folder / "manifests"
        subprocess.run([sys.executable, "-m", "apis.schema", str(manifests), *KINDS], cwd=ROOT, check=True, timeout=60)
        install_definitions(kubectl_of(started), manifests)
        yield started


@pytest.fixture
def kubectl(cluster: ControlPlane) -> Kubectl:
    return kubectl_of(cluster)


@pytest.fixture
def run(cluster: ControlPlane, kubectl: Kubectl) -> Iterator[Run]:
    """Starts an example as a user would; it must end in peace when it is asked to, and leaves nothing to the next."""
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, **variables: str) -> None:
        environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), **variables}
        started.append(subprocess.Popen([sys.executable, "-m", f"examples.{name}"], cwd=ROOT, env=environment))

    yield start
    for process in started:
        process.terminate()
    assert [process.wait(30) for process in started] == [0] * len(started)
    for resource in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations", "deployments"):
        kubectl("delete", resource, "--all", check=True)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) < LINE_LIMIT


def test_a_website_has_a_deployment_whose_ready_replicas_it_tells(run: Run, kubectl: Kubectl) -> None:
    run("website")

    kubectl("apply", "-f", "-", input=_MANIFEST.format("Website", '{"image": "web:1", "replicas": 2}'), check=True)
    assert wait_until(lambda: _field(kubectl, "website", ".status.readyReplicas") == "2", limit_seconds=_LIMIT_SECONDS)
    kubectl("scale", "deployment/first", "--replicas=5", check=True)
    assert wait_until(lambda: _field(kubectl, "deployment", ".spec.replicas") == "2", limit_seconds=_LIMIT_SECONDS)
    kubectl("delete", "deployment/first", check=True)
    assert wait_until(lambda: _field(kubectl, "deployment", ".spec.replicas") == "2", limit_seconds=_LIMIT_SECONDS)

    kubectl("delete", "website/first", check=True)
    assert wait_until(lambda: not kubectl("get", "deployments", "-o", "name").stdout, limit_seconds=_LIMIT_SECONDS)


def test_a_shared_folder_is_there_as_long_as_its_object(run: Run, kubectl: Kubectl, tmp_path: Path) -> None:
    run("shared_folder", SHARED_FOLDERS=str(tmp_path))

    def texts() -> list[str]:
        return [file.read_text() for file in tmp_path.glob("*/README")]

    kubectl("apply", "-f", "-", input=_MANIFEST.format("SharedFolder", '{"greeting": "hi"}'), check=True)
    assert wait_until(lambda: texts() == ["hi"], limit_seconds=_LIMIT_SECONDS)
    assert wait_until(lambda: bool(_field(kubectl, "sharedfolder", ".status.path")), limit_seconds=_LIMIT_SECONDS)

    kubectl("delete", "sharedfolder/first", "--timeout=30s", check=True)
    assert list(tmp_path.iterdir()) == []


def test_an_image_without_a_fixed_version_is_refused(run: Run, kubectl: Kubectl) -> None:
    run("image_policy")

    def create(name: str, image: str) -> str:
        return kubectl("create", "deployment", name, f"--image={image}", "--replicas=0").stderr

    needed = "container web: image web:latest needs a tag other than latest"
    assert wait_until(lambda: needed in create("web", "web:latest"), limit_seconds=_LIMIT_SECONDS)
    assert not create("first", "registry.example.dev:5000/web:1")
    assert "5000/web needs a tag" in create("untagged", "registry.example.dev:5000/web")
    path = ".spec.template.spec.containers[0].imagePullPolicy"
    assert _field(kubectl, "deployment", path) == "IfNotPresent"


def _field(kubectl: Kubectl, resource: str, path: str) -> str:
    return kubectl("get", f"{resource}/first", "-o", f"jsonpath={{{path}}}").stdout
