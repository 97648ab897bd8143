"""A controller that lacks a right waits for it; the others of its manager go on."""

from collections.abc import Callable
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import ObjectMeta, resource_type_of
from framework.client import Client
from framework.controller import ControllerOptions, Primary
from framework.rights import Right
from tests.integration.requeststate.roles import bind

USER = "alice"


@pytest.fixture
def stage(client: Client, namespace: str) -> tuple[Client, str]:
    return client, namespace


def rule(resource: str, *verbs: str) -> dict[str, Any]:
    return {"apiGroups": [""], "resources": [resource], "verbs": list(verbs)}


def test_controller_without_its_rights_waits_for_them_and_the_other_one_works(
    managers: Any,
    recorder: Callable[..., Any],
    eventually: Callable[..., None],
    page: Callable[..., tuple[int, str]],
    stage: tuple[Client, str],
) -> None:
    client, namespace = stage
    bind(client, namespace, USER, [rule("configmaps", "list", "watch")])
    client.create(ConfigMap(metadata=ObjectMeta(name="here", namespace=namespace)))
    client.create(Secret(metadata=ObjectMeta(name="hidden", namespace=namespace)))
    manager = managers.make(user=USER)
    config_maps, secrets = recorder(), recorder()
    for name, reconciler, kind, rights in (
        ("configmaps", config_maps, ConfigMap, ()),
        ("secrets", secrets, Secret, (Right("patch", resource_type_of(Secret)),)),
    ):
        manager.add_controller(name, reconciler, [Primary(manager.informer(kind))], ControllerOptions(rights=rights))

    manager.start()
    eventually(lambda: config_maps.has_seen("here"))
    eventually(lambda: "missing rights" in page(manager, "/readyz")[1])
    status, before = page(manager, "/readyz")
    bind(client, namespace, USER, [rule("configmaps", "list", "watch"), rule("secrets", "list", "watch", "patch")])

    eventually(lambda: secrets.has_seen("hidden"))
    eventually(lambda: page(manager, "/readyz")[0] == 200)
    assert status == 500
    assert "[+]rights/configmaps ok" in before
    assert (
        f"[-]rights/secrets: not started: missing rights in namespace '{namespace}': "
        "list secrets, watch secrets, patch secrets; bind a Role that allows them"
    ) in before
