"""Roles and bindings that grant more than their writer has, refused in the words of the real server."""

from typing import Any

import pytest

from framework.apiserver.auth import RoleWrite, escalation_error
from framework.apiserver.status import status_document
from tests.conformance.auth.cluster import RBAC, a_user, refusal
from tests.conformance.auth.conftest import Stage
from tests.unit.framework.apiserver.auth.fakes import PLURALS, a_binding, a_role, rule, user

HERE = "here"
WRITES = [
    a_role("r", rule(["get"], [""], ["pods"]), namespace=HERE),
    a_role("r", rule(["get", "delete", "create"], [""], ["pods"]), namespace=HERE),
    a_role("r", rule(["*"], ["*"], ["*"]), namespace=HERE),
    a_role("r", rule(["get"], [""], ["configmaps"], ["one", "three"]), namespace=HERE),
    a_role("r", rule(["get"], [""], ["configmaps"]), namespace=HERE),
    a_role(
        "r", rule(["get"], ["apps"], ["deployments/scale"]), rule(["get"], ["apps"], ["deployments"]), namespace=HERE
    ),
    a_role("r", rule(["get", "list"], ["", "apps"], ["secrets", "pods"]), namespace=HERE),
    a_binding("b", "local", user("bob"), namespace=HERE, kind="Role"),
    a_binding("b", "view", user("bob"), namespace=HERE),
    a_binding("b", "system:auth-delegator", user("bob"), namespace=HERE),
    a_binding("b", "missing", user("bob"), namespace=HERE, kind="Role"),
    a_binding("b", "missing", user("bob"), namespace=HERE),
]


@pytest.mark.parametrize("written", WRITES)
def test_a_write_by_alice_is_refused_or_not_in_the_same_words(stage: Stage, written: Any) -> None:
    new = {**written, "metadata": {**written["metadata"], "namespace": stage.here}}
    path = f"{RBAC}/namespaces/{stage.here}/{PLURALS[new['kind']].resource}"
    write = RoleWrite(resource=PLURALS[new["kind"]], user=a_user("alice"), namespace=stage.here, new=new)

    reply = stage.cluster.user("alice").create(path, new, query={"dryRun": "All"})
    ours = escalation_error(write, stage.cluster.authorizer())

    if ours is None:
        assert reply.status == 201
    else:
        document = status_document(ours)
        assert refusal(reply) == {field: document.get(field) for field in ("code", "reason", "message", "details")}
