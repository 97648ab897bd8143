"""Clients of the real API server, directly and through the relay."""

import json
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from framework.client import Client, RestClientMetrics, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Relay

NAMESPACES = ResourceType(GroupVersionKind("", "v1", "Namespace"), "namespaces", "Cluster")


@pytest.fixture
def connect_to() -> Iterator[Callable[..., Client]]:
    """A client for a kubeconfig file, closed after the test."""
    with ExitStack() as stack:

        def make(kubeconfig: Path | str, *, metrics: RestClientMetrics | None = None) -> Client:
            client = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()), metrics=metrics)
            stack.callback(client.connection.close)
            return client

        yield make


@pytest.fixture
def unanswered() -> Iterator[str]:
    """The address of a server that neither accepts nor refuses a connection."""
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(3):
            # Beyond the backlog the kernel answers nobody.
            waiting = stack.enter_context(socket.socket())
            waiting.settimeout(0)
            waiting.connect_ex(full.getsockname())
        yield f"http://127.0.0.1:{full.getsockname()[1]}"


@pytest.fixture
def relayed(relay: Relay, control_plane: ControlPlane, tmp_path: Path, connect_to: Callable[..., Client]) -> Client:
    """A client whose every byte passes the relay."""
    return connect_to(relay.kubeconfig(tmp_path, control_plane.token))


def accepted_by(relay: Relay) -> list[socket.socket]:
    made: list[socket.socket] = []
    accept = relay._listener._accepted

    def accepted(connected: socket.socket) -> None:
        made.append(connected)
        accept(connected)

    relay._listener._accepted = accepted
    return made


@pytest.fixture
def connections(relay: Relay) -> list[socket.socket]:
    """The connections that clients have made to the relay, the closed ones too."""
    return accepted_by(relay)


@pytest.fixture
def tls_relay(control_plane: ControlPlane) -> Iterator[Relay]:
    """A relay that speaks TLS with the certificate of the API server."""
    pki = control_plane.ca_file.parent
    certificate = (pki / "apiserver.crt", pki / "apiserver.key")
    with Relay(control_plane.url, ca_file=control_plane.ca_file, certificate=certificate) as started:
        yield started


@pytest.fixture
def tls_connections(tls_relay: Relay) -> list[socket.socket]:
    return accepted_by(tls_relay)


@pytest.fixture
def namespace(client: Client) -> Iterator[str]:
    """As the general one, without the cost of kubectl."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.create(Unstructured(content={"metadata": {"name": name}}), kind=NAMESPACES)
    yield name
    client.delete(NAMESPACES, Key("", name))


@pytest.fixture
def config_map(client: Client, namespace: str) -> ConfigMap:
    return client.create(ConfigMap(metadata=ObjectMeta(name="subject", namespace=namespace), data={"k": "v"}))


@pytest.fixture
def write_kubeconfig(control_plane: ControlPlane, tmp_path: Path) -> Callable[..., Path]:
    """A kubeconfig for the control plane with the given user, and changes of the cluster."""

    def write(user: Mapping[str, Any], **cluster: Any) -> Path:
        whole = {"server": control_plane.url, "certificate-authority": str(control_plane.ca_file), **cluster}
        document = {
            "clusters": [{"name": "c", "cluster": {key: value for key, value in whole.items() if value is not None}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        path = tmp_path / f"kubeconfig-{uuid.uuid4().hex[:6]}"
        path.write_text(json.dumps(document))
        return path

    return write
