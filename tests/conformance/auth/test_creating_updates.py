"""Who creates by an apply or an update must be allowed to create, on both servers."""

import uuid
from typing import Any

import pytest

from tests.conformance.api import APPLY, Api
from tests.conformance.auth.cluster import RBAC, wait_until

LEASES = "/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/new"
CONFIG_MAPS = "/api/v1/namespaces/{namespace}/configmaps/new"


@pytest.fixture
def user(api: Api, namespace: str) -> str:
    """May change what is there."""
    name = f"user-{uuid.uuid4().hex[:8]}"
    allow(api, namespace, name, "patch", "update")
    return name


def allow(api: Api, namespace: str, user: str, *verbs: str) -> None:
    rules = [
        {"apiGroups": ["", "coordination.k8s.io"], "resources": ["configmaps", "leases"], "verbs": [*verbs, "list"]}
    ]
    role = f"{RBAC}/namespaces/{namespace}/roles/{user}"
    head = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": user}}
    api.apply(role, {**head, "kind": "Role", "rules": rules}, "test").check()
    binding = {
        **head,
        "kind": "RoleBinding",
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    }
    api.apply(f"{RBAC}/namespaces/{namespace}/rolebindings/{user}", binding, "test").check()
    wait_until(lambda: api.get(f"/api/v1/namespaces/{namespace}/configmaps", headers=acting(user)).status == 200)


def acting(user: str) -> dict[str, str]:
    return {"Impersonate-User": user}


def applied(api: Api, namespace: str, user: str) -> Any:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "new"}, "data": {"a": "b"}}
    return api.patch(
        CONFIG_MAPS.format(namespace=namespace), body, APPLY, query={"fieldManager": "test"}, headers=acting(user)
    )


def test_an_apply_that_creates_needs_the_right_to_create(api: Api, namespace: str, user: str) -> None:
    refused = applied(api, namespace, user)

    assert refused.error == (
        403,
        "Forbidden",
        (
            f'configmaps "new" is forbidden: User "{user}" cannot create resource "configmaps" in API group "" '
            f'in the namespace "{namespace}"'
        ),
    )
    assert api.get(CONFIG_MAPS.format(namespace=namespace)).status == 404
    allow(api, namespace, user, "patch", "create")
    wait_until(lambda: applied(api, namespace, user).status in {200, 201})
    allow(api, namespace, user, "patch")
    # What is there already needs no more than the right to change it.
    assert applied(api, namespace, user).status == 200


def test_an_update_that_creates_needs_the_right_to_create(api: Api, namespace: str, user: str) -> None:
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "new"}, "spec": {}}

    refused = api.put(LEASES.format(namespace=namespace), body, headers=acting(user))

    assert refused.error == (
        403,
        "Forbidden",
        (
            f'leases.coordination.k8s.io "new" is forbidden: User "{user}" cannot create resource "leases" '
            f'in API group "coordination.k8s.io" in the namespace "{namespace}"'
        ),
    )
