"""Fixtures: helm in the test's namespace, and a look at what it made."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.component.program import Program

CHART = str(Path(__file__).parent / "chart")
Objects = Callable[[str], dict[str, Any]]


@pytest.fixture
def helm(kubeconfig: Path, namespace: str, tmp_path: Path) -> Program:
    """The one of the environment that runs the tests, else that of the machine."""
    path = which("helm", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if path is None:
        pytest.skip("needs helm: install the dev dependencies, or put one into PATH")
    environment = {"HOME": str(tmp_path), "KUBECONFIG": str(kubeconfig), "HELM_NAMESPACE": namespace}
    return Program(Path(path), environment)


@pytest.fixture
def objects(kubectl_in: Callable[[str], Program], namespace: str) -> Objects:
    """The objects of one resource in the test's namespace, by their names."""
    kubectl = kubectl_in(namespace)

    def look(resource: str) -> dict[str, Any]:
        items = json.loads(kubectl("get", resource, "-o", "json"))["items"]
        return {item["metadata"]["name"]: item for item in items}

    return look
