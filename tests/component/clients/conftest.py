"""Fixtures: kubectl, and a namespace in which every sample is."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from framework.client import Client
from tests.component.conftest import CRDS, temporary_namespace
from tests.component.program import Program

SAMPLES = Path(__file__).parent / "samples"
NAMESPACED = tuple(
    str(SAMPLES / name) for name in ("core.yaml", "apps.yaml", "batch.yaml", "network.yaml", "custom.yaml")
)
_CLUSTER_WIDE = str(SAMPLES / "cluster.yaml")
_WIDGETS = str(SAMPLES / "widgets.yaml")


@pytest.fixture(scope="session")
def kubectl_with_definitions(kubectl_in: Callable[[str], Program]) -> Callable[[str], Program]:
    kubectl = kubectl_in("default")
    kubectl("apply", "-f", str(CRDS), "-f", _WIDGETS)
    kubectl("wait", "--for=condition=Established", "-f", str(CRDS), "-f", _WIDGETS)
    return kubectl_in


@pytest.fixture
def kubectl(kubectl_with_definitions: Callable[[str], Program], namespace: str) -> Program:
    """In a namespace that is the test's own."""
    return kubectl_with_definitions(namespace)


@pytest.fixture(scope="session")
def sampled(kubectl_with_definitions: Callable[[str], Program], client: Client) -> Iterator[Program]:
    """A kubectl in a namespace that has all samples; only for looking."""
    with temporary_namespace(client) as namespace:
        kubectl = kubectl_with_definitions(namespace)
        kubectl("apply", "-f", _CLUSTER_WIDE, *(word for path in NAMESPACED for word in ("-f", path)))
        yield kubectl
        kubectl("delete", "--wait=false", "-f", _CLUSTER_WIDE)


def manifest(path: str) -> str:
    return str(SAMPLES / path)
