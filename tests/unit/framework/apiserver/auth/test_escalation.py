from typing import Any

import pytest

from framework.apiserver.auth import RbacAuthorizer, RoleWrite, UserInfo, escalation_error
from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.auth.fakes import (
    ADMIN,
    ALICE,
    PLURALS,
    FakeReader,
    a_binding,
    a_role,
    rule,
    user,
)

READ_PODS = rule(["get", "list"], [""], ["pods"])
EVERYTHING = rule(["*"], ["*"], ["*"])


def message(
    new: Object, *held: Object, old: Object | None = None, who: UserInfo = ALICE, roles: tuple[Object, ...] = ()
) -> str | None:
    """What is said when somebody who has the rules *held* everywhere writes *new*."""
    reader = FakeReader(a_role("held", *held), a_binding("mine", "held", user("alice")), *roles)
    write = RoleWrite(
        resource=PLURALS[new["kind"]],
        user=who,
        namespace=new["metadata"].get("namespace", ""),
        name="" if old is None else new["metadata"]["name"],
        old=old,
        new=new,
    )
    error = escalation_error(write, RbacAuthorizer(reader))
    return None if error is None else error.status.message


def test_a_role_with_rights_that_the_writer_lacks_is_refused_with_a_list_of_them() -> None:
    wanted = a_role("r", rule(["get", "list", "watch"], [""], ["pods"]), {"verbs": ["get"], "nonResourceURLs": ["/x"]})

    assert message(wanted, rule(["get"], [""], ["pods"])) == (
        'clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "alice" (groups=["system:authenticated"]) is '
        "attempting to grant RBAC permissions not currently held:\n"
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}\n'
        '{NonResourceURLs:["/x"], Verbs:["get"]}'
    )


@pytest.mark.parametrize(
    "held",
    [
        [READ_PODS],
        [EVERYTHING],
        [rule(["get"], [""], ["pods"]), rule(["list"], ["*"], ["*"])],
        [rule(["escalate"], ["rbac.authorization.k8s.io"], ["clusterroles"])],
    ],
)
def test_who_has_the_rights_or_may_escalate_may_grant_them(held: list[Any]) -> None:
    assert message(a_role("r", READ_PODS), *held) is None


def test_a_right_to_one_object_covers_no_right_to_all() -> None:
    narrow = rule(["get"], [""], ["pods"], ["one"])

    assert message(a_role("r", rule(["get"], [""], ["pods"], ["one"])), narrow) is None
    assert message(a_role("r", rule(["get"], [""], ["pods"])), narrow) is not None


def test_a_right_to_all_scales_covers_that_to_one() -> None:
    held = rule(["get"], ["apps"], ["*/scale"])

    assert message(a_role("r", rule(["get"], ["apps"], ["deployments/scale"])), held) is None
    assert message(a_role("r", rule(["get"], ["apps"], ["deployments"])), held) is not None


def test_masters_may_grant_anything() -> None:
    assert message(a_role("r", EVERYTHING), who=ADMIN) is None


def test_a_change_of_finalizers_is_never_refused() -> None:
    old = a_role("r", EVERYTHING)
    new = {**old, "metadata": {**old["metadata"], "finalizers": ["x/y"]}}

    assert message(new, old=old) is None
    assert message({**new, "rules": [READ_PODS]}, old=old) is not None


def test_only_a_cluster_admin_may_aggregate() -> None:
    whole = {**a_role("r"), "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}

    assert message(whole, READ_PODS) == (
        'clusterroles.rbac.authorization.k8s.io "r" is forbidden: '
        "must have cluster-admin privileges to use the aggregationRule"
    )
    assert message(whole, EVERYTHING, {"verbs": ["*"], "nonResourceURLs": ["*"]}) is None


def test_a_binding_to_a_role_with_more_rights_is_refused_unless_binding_is_allowed() -> None:
    binding = a_binding("b", "big", user("bob"), namespace="ns")
    big = a_role("big", READ_PODS)
    may_bind = rule(["bind"], ["rbac.authorization.k8s.io"], ["clusterroles"], ["big"])

    assert (message(binding, roles=(big,)) or "").startswith(
        'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "alice" (groups=["system:authenticated"]) is '
        "attempting to grant RBAC permissions not currently held:\n"
    )
    assert message(binding, may_bind, roles=(big,)) is None
    assert message(binding, READ_PODS, roles=(big,)) is None


def test_a_binding_to_a_role_that_is_not_there_is_not_found() -> None:
    binding = a_binding("b", "gone", user("bob"), namespace="ns", kind="Role")

    assert message(binding) == 'rolebindings.rbac.authorization.k8s.io "gone" not found'
