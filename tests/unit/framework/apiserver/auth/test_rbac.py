from typing import Any

import pytest

from framework.apiserver.auth import AlwaysAllow, RbacAuthorizer, UserInfo, aggregated_rules, bootstrap_roles, require
from framework.errors import Forbidden
from tests.unit.framework.apiserver.auth.fakes import (
    ADMIN,
    ALICE,
    FakeReader,
    a_binding,
    a_cluster,
    a_role,
    asks,
    rule,
    user,
)


def authorizer_with(*rules: dict[str, Any]) -> RbacAuthorizer:
    """Alice has *rules* everywhere."""
    return RbacAuthorizer(FakeReader(a_role("r", *rules), a_binding("b", "r", user("alice"))))


@pytest.mark.parametrize(
    ("given", "wanted", "allowed"),
    [
        (rule(["get"], [""], ["pods"]), asks("get", "pods"), True),
        (rule(["get"], [""], ["pods"]), asks("list", "pods"), False),
        (rule(["*"], [""], ["pods"]), asks("anything", "pods"), True),
        (rule(["get"], [""], ["pods"]), asks("get", "pods", group="apps"), False),
        (rule(["get"], ["*"], ["pods"]), asks("get", "pods", group="apps"), True),
        (rule(["get"], [""], ["pods"]), asks("get", "pods/log"), False),
        (rule(["get"], [""], ["pods/log"]), asks("get", "pods/log"), True),
        (rule(["get"], [""], ["pods/log"]), asks("get", "pods"), False),
        (rule(["get"], ["*"], ["*/scale"]), asks("get", "deployments/scale", group="apps"), True),
        (rule(["get"], ["*"], ["*/scale"]), asks("get", "deployments", group="apps"), False),
        (rule(["get"], ["*"], ["*"]), asks("get", "pods/log"), True),
        (rule(["get"], [""], ["pods"], ["one"]), asks("get", "pods", name="one"), True),
        (rule(["get"], [""], ["pods"], ["one"]), asks("get", "pods", name="two"), False),
        (rule(["list"], [""], ["pods"], ["one"]), asks("list", "pods"), False),
        ({"verbs": ["get"], "nonResourceURLs": ["/healthz"]}, asks("get", path="/healthz"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/healthz"]}, asks("get", path="/healthz/etcd"), False),
        ({"verbs": ["get"], "nonResourceURLs": ["/logs/*"]}, asks("get", path="/logs/a/b"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/logs/*"]}, asks("get", path="/logs"), False),
        ({"verbs": ["get"], "nonResourceURLs": ["*"]}, asks("get", path="/any"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/a"]}, asks("get", "/a"), False),
    ],
)
def test_a_rule_allows_exactly_what_it_says(given: dict[str, Any], wanted: Any, *, allowed: bool) -> None:
    assert authorizer_with(given).authorize(wanted).allowed is allowed


def test_the_group_of_masters_may_do_everything_without_any_role() -> None:
    decision = RbacAuthorizer(FakeReader()).authorize(asks("delete", "nodes", who=ADMIN))

    assert decision.allowed
    assert decision.reason == ""


def test_a_role_binding_counts_in_its_namespace_alone() -> None:
    pods = rule(["list"], [""], ["pods"])
    reader = FakeReader(a_role("r", pods), a_binding("b", "r", user("alice"), namespace="here"))
    authorizer = RbacAuthorizer(reader)

    here = authorizer.authorize(asks("list", "pods", namespace="here"))
    there = authorizer.authorize(asks("list", "pods", namespace="there"))
    everywhere = authorizer.authorize(asks("list", "pods"))

    assert here.reason == 'RBAC: allowed by RoleBinding "b/here" of ClusterRole "r" to User "alice"'
    assert (here.allowed, there.allowed, everywhere.allowed) == (True, False, False)


def test_a_service_account_without_namespace_is_that_of_the_binding() -> None:
    subject = {"kind": "ServiceAccount", "name": "robot"}
    role = a_role("r", rule(["get"], [""], ["pods"]), namespace="ns")
    reader = FakeReader(role, a_binding("b", "r", subject, namespace="ns", kind="Role"))
    robot = UserInfo("system:serviceaccount:ns:robot")

    decision = RbacAuthorizer(reader).authorize(asks("get", "pods", who=robot, namespace="ns"))

    assert decision.reason == 'RBAC: allowed by RoleBinding "b/ns" of Role "r" to ServiceAccount "robot/ns"'


def test_a_change_of_roles_or_bindings_counts_from_the_next_request_on() -> None:
    reader = FakeReader()
    authorizer = RbacAuthorizer(reader)
    before = authorizer.authorize(asks("get", "pods")).allowed

    reader.put(a_binding("b", "r", user("alice")), a_role("r", rule(["get"], [""], ["pods"])))
    after = authorizer.authorize(asks("get", "pods")).allowed
    reader.remove("ClusterRoleBinding", "", "b")

    assert (before, after, authorizer.authorize(asks("get", "pods")).allowed) == (False, True, False)


def test_a_second_question_about_another_object_reads_nothing() -> None:
    reader = FakeReader(a_role("r", rule(["get"], [""], ["pods"])), a_binding("b", "r", user("alice")))
    authorizer = RbacAuthorizer(reader)
    authorizer.authorize(asks("get", "pods", name="one", namespace="ns"))
    reader.lists = 0

    assert authorizer.authorize(asks("get", "pods", name="two", namespace="ns")).allowed
    assert reader.lists == 0


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            asks("list", "pods", namespace="default"),
            'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
        ),
        (
            asks("get", "deployments/scale", group="apps", namespace="ns", name="web"),
            (
                'deployments.apps "web" is forbidden: User "alice" cannot get resource "deployments/scale" in API '
                'group "apps" in the namespace "ns"'
            ),
        ),
        (
            asks("list", "nodes"),
            'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
        ),
        (asks("get", path="/metrics"), 'forbidden: User "alice" cannot get path "/metrics"'),
        (
            asks("get", path="/<b>"),
            'forbidden: User "alice" cannot get path "/&lt;b&gt;"',
        ),
    ],
)
def test_a_refusal_says_what_the_real_server_says(wanted: Any, message: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        require(RbacAuthorizer(FakeReader()), wanted)

    assert refusal.value.status.message == message


def test_a_refusal_names_the_roles_that_are_missing() -> None:
    reader = FakeReader(
        a_binding("a", "gone", user("alice")), a_binding("b", "lost", user("alice"), namespace="ns", kind="Role")
    )

    with pytest.raises(Forbidden) as refusal:
        require(RbacAuthorizer(reader), asks("get", "pods", namespace="ns"))

    assert str(refusal.value).endswith(
        ': RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, '
        'role.rbac.authorization.k8s.io "lost" not found]'
    )


def test_a_rule_of_the_wrong_type_allows_nothing() -> None:
    authorizer = authorizer_with({"verbs": "*", "apiGroups": ["*"], "resources": ["*"]})

    assert not authorizer.authorize(asks("get", "pods")).allowed


def test_the_switch_allows_everything() -> None:
    assert AlwaysAllow().authorize(asks("delete", "nodes")).allowed
    assert len(AlwaysAllow().rules_for(ALICE, "ns").rules) == 2


def test_an_aggregate_takes_in_the_rules_of_what_it_selects_once() -> None:
    shared, own = rule(["get"], [""], ["pods"]), rule(["list"], [""], ["pods"])
    parts = [a_role("a", shared), a_role("b", shared, own), a_role("c", rule(["*"], ["*"], ["*"]))]
    for part in parts[:2]:
        part["metadata"]["labels"] = {"take": "yes"}
    whole = a_role("whole")
    whole["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {"take": "yes"}}]}

    assert aggregated_rules(whole, [*parts, whole]) == [shared, own]
    assert aggregated_rules(parts[0], [*parts, whole]) is None


def test_every_cluster_starts_with_roles_in_which_admin_covers_edit_and_edit_covers_view() -> None:
    rules = {obj["metadata"]["name"]: obj["rules"] for obj in bootstrap_roles() if obj["kind"] == "ClusterRole"}

    assert all(each in rules["edit"] for each in rules["view"])
    assert all(each in rules["admin"] for each in rules["edit"])
    assert bootstrap_roles()[0] is not bootstrap_roles()[0]


def test_everybody_who_is_authenticated_may_look_around_and_ask_about_themselves() -> None:
    authorizer = RbacAuthorizer(a_cluster())
    question = asks("create", "selfsubjectaccessreviews", group="authorization.k8s.io")

    assert authorizer.authorize(asks("get", path="/apis/apps/v1")).allowed
    assert authorizer.authorize(question).allowed
    assert not authorizer.authorize(asks("get", path="/apis", who=UserInfo("x", groups=("other",)))).allowed
