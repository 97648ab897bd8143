"""A manager that may do what its webhooks declare, and nothing else, serves them."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, ResourceType, Unstructured
from framework.apiserver.embedded import EmbeddedServer
from framework.client import Client
from framework.manager import Manager
from framework.rights import roles_of
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.integration.webhooks.stage import LIMIT_SECONDS, Stage, removed_at_the_end

GROUP = "rbac.authorization.k8s.io"
USER = "bob"
KINDS = {
    "Role": ResourceType(GroupVersionKind(GROUP, "v1", "Role"), "roles"),
    "RoleBinding": ResourceType(GroupVersionKind(GROUP, "v1", "RoleBinding"), "rolebindings"),
    "ClusterRole": ResourceType(GroupVersionKind(GROUP, "v1", "ClusterRole"), "clusterroles", "Cluster"),
    "ClusterRoleBinding": ResourceType(
        GroupVersionKind(GROUP, "v1", "ClusterRoleBinding"), "clusterrolebindings", "Cluster"
    ),
}


@pytest.fixture
def user_kubeconfig(cluster: EmbeddedServer | ControlPlane) -> Path:
    return cluster.kubeconfig_for(USER)


@pytest.fixture
def cleanup(client: Client, namespace: str) -> Iterator[None]:
    with ExitStack() as stack:
        for kind in ("ClusterRole", "ClusterRoleBinding"):
            stack.enter_context(removed_at_the_end(client, KINDS[kind], namespace))
        yield


def bind(stage: Stage, manager: Manager) -> None:
    """Give USER what *manager* says it needs."""
    roles = roles_of(manager.rights()["webhooks"])
    assert set(roles.namespaces) == {stage.namespace}
    assert (roles.watched, roles.home) == ([], [])
    grant(stage, "", roles.cluster)
    grant(stage, stage.namespace, roles.namespaces[stage.namespace])


def grant(stage: Stage, namespace: str, rules: Any) -> None:
    prefix = "" if namespace else "Cluster"
    metadata = {"name": stage.name, **({"namespace": namespace} if namespace else {})}
    reference = {"apiGroup": GROUP, "kind": f"{prefix}Role", "name": stage.name}
    subject = {"apiGroup": GROUP, "kind": "User", "name": USER}
    role, binding = KINDS[f"{prefix}Role"], KINDS[f"{prefix}RoleBinding"]
    stage.client.create(Unstructured(content={"metadata": metadata, "rules": rules}), kind=role)
    content = {"metadata": metadata, "roleRef": reference, "subjects": [subject]}
    stage.client.create(Unstructured(content=content), kind=binding)


@pytest.mark.usefixtures("cleanup")
def test_what_is_declared_is_enough(stage: Stage, user_kubeconfig: Path) -> None:
    seen: list[Any] = []
    manager = stage.manager(kubeconfig=user_kubeconfig)
    manager.webhooks.validate(ConfigMap, seen.append, stage.hook_options())
    bind(stage, manager)

    stage.start(manager)
    stage.until_called(seen)

    assert wait_until(lambda: not manager.readiness.problems(), limit_seconds=LIMIT_SECONDS), (
        manager.readiness.problems()
    )
