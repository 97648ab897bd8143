"""The README is true: its example works when it is pasted, its flags are those of the binary."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controllers.flags import FLAGS
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.conftest import install_definitions

README = (Path(__file__).parent.parent.parent / "README.md").read_text()
GREETING = (
    '{{"apiVersion": "example.dev/v1", "kind": "Greeting", "metadata": {{"name": "hello"}}, "spec": {{"text": "{}"}}}}'
)
Kubectl = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def greeting_controller(control_plane: ControlPlane, kubectl: Kubectl, tmp_path: Path) -> Iterator[None]:
    example = re.search(r"```python\n(import os\n.*?)```", README, re.DOTALL)
    assert example is not None
    (tmp_path / "greeting.py").write_text(example[1])
    environment = {**os.environ, "KUBECONFIG": str(control_plane.kubeconfig)}
    generate = [sys.executable, "-m", "apis.schema", "manifests", "greeting:Greeting"]
    subprocess.run(generate, cwd=tmp_path, check=True, timeout=60)
    install_definitions(kubectl, tmp_path / "manifests")
    with subprocess.Popen([sys.executable, "greeting.py"], cwd=tmp_path, env=environment) as process:
        yield
        process.terminate()
        assert process.wait(30) == 0
    kubectl("delete", "-f", str(tmp_path / "manifests"))


def test_first_controller_of_the_readme_keeps_its_config_map(
    greeting_controller: None, kubectl: Kubectl, namespace: str
) -> None:
    def field(path: str) -> str:
        return kubectl("-n", namespace, "get", "configmap", "hello", "-o", f"jsonpath={{{path}}}").stdout

    def text() -> str:
        return field(".data.text")

    kubectl("-n", namespace, "apply", "-f", "-", input=GREETING.format("hi there"), check=True)
    assert wait_until(lambda: text() == "hi there", limit_seconds=60)
    kubectl("-n", namespace, "patch", "configmap", "hello", "-p", '{"data": {"text": "by hand"}}', check=True)
    assert wait_until(lambda: text() == "hi there", limit_seconds=60)
    kubectl("-n", namespace, "apply", "-f", "-", input=GREETING.format("bye"), check=True)
    assert wait_until(lambda: text() == "bye", limit_seconds=60)
    # The garbage collector needs up to a minute to know a new kind; that it will know whom to delete is enough here.
    assert field(".metadata.ownerReferences[0].kind") == "Greeting"


def test_readme_names_every_flag_of_the_binary() -> None:
    missing = [flag.name for flag in FLAGS if f"`-{flag.name}`" not in README]

    assert missing == []
