"""Rolled out as a Deployment by somebody who may do what is declared, and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from controllers.peerpodconfig.webhook import WebhookRollout, webhook_rights
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import Forbidden
from framework.rights import Right, roles_of
from framework.testing.control_plane import ControlPlane
from tests.integration.peerpods_webhook.webhook import Writes

pytestmark = pytest.mark.xdist_group("peerpods-webhook-real")
_GROUP, _USER = "rbac.authorization.k8s.io", "bob"
_ROLES = {
    "Role": ResourceType(GroupVersionKind(_GROUP, "v1", "Role"), "roles"),
    "ClusterRole": ResourceType(GroupVersionKind(_GROUP, "v1", "ClusterRole"), "clusterroles", "Cluster"),
}
_BINDINGS = {
    "Role": ResourceType(GroupVersionKind(_GROUP, "v1", "RoleBinding"), "rolebindings"),
    "ClusterRole": ResourceType(GroupVersionKind(_GROUP, "v1", "ClusterRoleBinding"), "clusterrolebindings", "Cluster"),
}


@pytest.fixture
def bob(control_plane: ControlPlane) -> Iterator[Client]:
    kubeconfig: Path = control_plane.kubeconfig_for(_USER)
    connected = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))
    yield connected
    connected.connection.close()


@pytest.fixture
def granted(client: Client, namespace: str) -> Iterator[None]:
    rights: tuple[Right, ...] = webhook_rights(PeerPodOptions(namespace=namespace))
    roles = roles_of(rights)
    # What concerns the whole cluster is watched there.
    _grant(client, "ClusterRole", {"name": namespace}, [*roles.cluster, *roles.watched])
    _grant(client, "Role", {"name": namespace, "namespace": namespace}, roles.namespaces[namespace])
    yield
    for kinds in (_ROLES, _BINDINGS):
        client.delete(kinds["ClusterRole"], Key("", namespace))


def _grant(client: Client, kind: str, metadata: dict[str, str], rules: Any) -> None:
    client.create(Unstructured(content={"metadata": metadata, "rules": list(rules)}), kind=_ROLES[kind])
    reference = {"apiGroup": _GROUP, "kind": kind, "name": metadata["name"]}
    subject = {"apiGroup": _GROUP, "kind": "User", "name": _USER}
    content = {"metadata": metadata, "roleRef": reference, "subjects": [subject]}
    client.create(Unstructured(content=content), kind=_BINDINGS[kind])


def _rollout(client: Client, namespace: str) -> WebhookRollout:
    options = PeerPodOptions(namespace=namespace, webhook_image="example.com/windlass:1")
    return WebhookRollout(client, options, clock=SystemClock())


@pytest.mark.usefixtures("granted")
def test_what_is_declared_is_enough_and_a_settled_roll_out_writes_nothing(bob: Client, namespace: str) -> None:
    writes = Writes()
    rollout = _rollout(bob.observed_by(writes), namespace)
    config = PeerPodConfig(metadata=ObjectMeta(namespace=namespace, name="one"))

    assert rollout.apply([config]).reason == "NotAvailable"
    writes.made.clear()
    assert rollout.apply([config]).reason == "NotAvailable"
    assert writes.made == []
    assert _rollout(bob.observed_by(writes), namespace).apply([config]).is_applied
    assert writes.made == []
    rollout.remove()
    assert len(writes.made) == 5


def test_without_it_nothing_is_done(bob: Client, namespace: str) -> None:
    config = PeerPodConfig(metadata=ObjectMeta(namespace=namespace, name="one"))

    with pytest.raises(Forbidden):
        _rollout(bob, namespace).apply([config])
