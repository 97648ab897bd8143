from typing import Any

import pytest

from framework.apiserver.auth import Impersonation, RbacAuthorizer, UserInfo
from framework.errors import BadRequest, Forbidden
from tests.unit.framework.apiserver.auth.fakes import (
    ADMIN,
    ALICE,
    FakeReader,
    a_binding,
    a_role,
    asks,
    rule,
    user,
)

GROUP = "authentication.k8s.io"


def impersonation(*rules: dict[str, Any]) -> Impersonation:
    return Impersonation(RbacAuthorizer(FakeReader(a_role("r", *rules), a_binding("b", "r", user("alice")))))


def headers(name: str = "", group: str = "", **more: str) -> dict[str, str]:
    given = {"impersonate-user": name, "impersonate-group": group, **more}
    return {header: value for header, value in given.items() if value}


def test_without_headers_one_stays_who_one_is() -> None:
    assert impersonation().user_for({}, asks("list", "pods")) is ALICE


@pytest.mark.parametrize(
    ("wanted", "groups"),
    [
        (headers("bob"), ("system:authenticated",)),
        (headers("bob", "devs, ops"), ("devs", "ops", "system:authenticated")),
        (headers("bob", "system:unauthenticated"), ("system:unauthenticated",)),
        (headers("system:anonymous"), ("system:unauthenticated",)),
        (
            headers("system:serviceaccount:ns:robot"),
            ("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"),
        ),
        (headers("system:serviceaccount:ns:robot", "only"), ("only", "system:authenticated")),
    ],
)
def test_the_impersonated_user_has_the_groups_that_go_with_the_name(
    wanted: dict[str, str], groups: tuple[str, ...]
) -> None:
    became = impersonation().user_for(wanted, asks("list", "pods", who=ADMIN))

    assert (became.name, became.groups) == (wanted["impersonate-user"], groups)


def test_uid_and_extra_are_taken_over() -> None:
    wanted = {**headers("bob"), "impersonate-uid": "7", "impersonate-extra-example.com%2fscopes": "a, b"}

    became = impersonation().user_for(wanted, asks("list", "pods", who=ADMIN))

    assert became == UserInfo("bob", "7", ("system:authenticated",), {"example.com/scopes": ("a", "b")})


def test_who_may_impersonate_one_user_may_not_be_another() -> None:
    one = impersonation(rule(["impersonate"], [""], ["users"], ["bob"]))

    assert one.user_for(headers("bob"), asks("list", "pods")).name == "bob"
    with pytest.raises(Forbidden) as refusal:
        one.user_for(headers("carol"), asks("list", "pods"))

    # The mode that worked last is tried first, so that its refusal is the one to be told.
    assert str(refusal.value) == (
        'users "carol" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster '
        "scope"
    )


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("bob", "user-info"),
        ("system:serviceaccount:ns:robot", "serviceaccount"),
        ("system:node:n1", "arbitrary-node"),
    ],
)
def test_who_may_impersonate_nobody_is_told_of_the_narrowest_way(name: str, mode: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        impersonation().user_for(headers(name), asks("list", "pods", namespace="default"))

    assert str(refusal.value) == (
        f'pods is forbidden: User "alice" cannot impersonate-on:{mode}:list resource "pods" in API group "" '
        'in the namespace "default"'
    )


def test_constrained_impersonation_is_for_the_requests_it_names() -> None:
    constrained = impersonation(
        rule(["impersonate:user-info"], [GROUP], ["users", "groups"]),
        rule(["impersonate-on:user-info:list"], [""], ["pods"]),
    )

    assert constrained.user_for(headers("bob", "devs"), asks("list", "pods")).groups[0] == "devs"
    for wanted, request in (
        (headers("bob"), asks("get", "pods")),
        (headers("bob", "system:masters"), asks("list", "pods")),
    ):
        with pytest.raises(Forbidden):
            constrained.user_for(wanted, request)


def test_a_service_account_may_be_its_own_node() -> None:
    subject = {"kind": "ServiceAccount", "namespace": "ns", "name": "agent"}
    rules = (
        rule(["impersonate:associated-node"], [GROUP], ["nodes"]),
        rule(["impersonate-on:associated-node:list"], [""], ["pods"]),
    )
    one = Impersonation(RbacAuthorizer(FakeReader(a_role("r", *rules), a_binding("b", "r", subject))))
    agent = UserInfo("system:serviceaccount:ns:agent", extra={"authentication.kubernetes.io/node-name": ("n1",)})

    assert one.user_for(headers("system:node:n1"), asks("list", "pods", who=agent)).groups == (
        "system:nodes",
        "system:authenticated",
    )
    with pytest.raises(Forbidden):
        one.user_for(headers("system:node:n2"), asks("list", "pods", who=agent))


def test_a_group_without_a_user_makes_no_sense() -> None:
    with pytest.raises(BadRequest) as refusal:
        impersonation().user_for({"impersonate-group": "g", "impersonate-uid": "7"}, asks("list", "pods"))

    assert str(refusal.value) == (
        'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string{"g"}, Extra:map[string][]string(nil)} '
        "without impersonating a user name"
    )
