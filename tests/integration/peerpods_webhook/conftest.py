"""A control plane of its own, as the webhook is one for the whole cluster, and the webhook on it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apis.meta import GroupVersionKind, ResourceType, Unstructured
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from tests.cluster import Cluster
from tests.conftest import Kubectl, kubectl_of
from tests.integration.peerpods_webhook.webhook import RolledOut, operand_namespace

_RUNTIME_CLASS = ResourceType(GroupVersionKind("node.k8s.io", "v1", "RuntimeClass"), "runtimeclasses", "Cluster")


@pytest.fixture(scope="session")
def control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path_factory.mktemp("peerpods-webhook")) as started:
        connected = connect(from_kubeconfig(str(started.kubeconfig), clock=SystemClock()))
        for name in ("kata-remote", "other"):
            content: dict[str, Any] = {"metadata": {"name": name}, "handler": "runc"}
            connected.create(Unstructured(content=content), kind=_RUNTIME_CLASS)
        connected.connection.close()
        yield started


@pytest.fixture(scope="session")
def kubectl(control_plane: Cluster) -> Kubectl:
    return kubectl_of(control_plane)


@pytest.fixture
def webhook(client: Client) -> Iterator[RolledOut]:
    """Served by this process; the API server asks it by now."""
    with operand_namespace(client) as namespace, RolledOut(client, namespace) as started:
        started.wait_until_asked()
        yield started
