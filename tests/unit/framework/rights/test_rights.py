"""What can be declared, which roles come of it, and what it covers."""

from itertools import permutations
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Namespace, Secret
from apis.meta import GroupVersionKind, ResourceType, resource_type_of
from framework.client import Access
from framework.errors import ConfigurationError
from framework.rights import (
    AccessRecorder,
    Comparison,
    Need,
    Right,
    compare,
    missing_rights_message,
    needs_of,
    roles_of,
)
from framework.runtime import ThreadRuntime

CONFIG_MAPS, SECRETS = resource_type_of(ConfigMap), resource_type_of(Secret)
NAMESPACES = resource_type_of(Namespace)
NODES = ResourceType(GroupVersionKind("", "v1", "Node"), "nodes", "Cluster")
DEPLOYMENTS = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")
EVERYTHING = ResourceType(GroupVersionKind("apps", "v1", "Any"), "*")


def access(verb: str, resource: ResourceType, name: str = "", namespace: str = "a", subresource: str = "") -> Access:
    return Access(verb, resource, subresource, namespace, name)


def needs(*rights: Right, watched: tuple[str, ...] = ("a",), home: str = "h") -> tuple[Need, ...]:
    return needs_of(rights, watched=watched, home=home)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"verb": "*", "resource": SECRETS}, "no verb of a right"),
        ({"verb": "read", "resource": SECRETS}, "known: get, list, watch"),
        ({"verb": "get", "resource": EVERYTHING}, "wildcard"),
        ({"verb": "get", "resource": SECRETS, "name": "*"}, "wildcard"),
        ({"verb": "create", "resource": SECRETS, "name": "one"}, "cannot be limited to one name"),
    ],
)
def test_right_that_cannot_be_meant_is_refused_where_it_is_declared(arguments: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        Right(**arguments)


def test_resources_with_the_same_verbs_share_a_rule_and_names_do_not() -> None:
    rights = [
        Right("patch", DEPLOYMENTS, "status"),
        Right("patch", DEPLOYMENTS),
        Right("get", SECRETS, name="keys"),
        Right("get", CONFIG_MAPS),
        Right("list", CONFIG_MAPS),
    ]

    assert roles_of(rights).to_builtins() == {
        "watched": [
            {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]},
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["keys"]},
            {"apiGroups": ["apps"], "resources": ["deployments", "deployments/status"], "verbs": ["patch"]},
        ]
    }


def test_rules_do_not_depend_on_the_order_of_the_rights_nor_on_repetitions() -> None:
    rights = [Right("watch", SECRETS), Right("get", SECRETS), Right("get", NODES), Right("create", SECRETS)]
    expected = roles_of(rights)

    assert all(roles_of([*order, *order]) == expected for order in permutations(rights))
    assert expected.watched[0]["verbs"] == ["get", "watch", "create"]


def test_each_right_goes_to_the_role_of_its_place() -> None:
    roles = roles_of(
        [
            Right("get", SECRETS),
            Right("get", CONFIG_MAPS, place="home"),
            Right("get", NODES),
            Right("get", DEPLOYMENTS, place="all"),
            Right("get", NAMESPACES),
            Right("list", NAMESPACES),
            Right("get", SECRETS, namespace="kube-system"),
        ]
    )

    assert [rule["resources"] for rule in roles.watched] == [["namespaces", "secrets"]]
    assert [rule["resources"] for rule in roles.home] == [["configmaps"]]
    assert [rule["resources"] for rule in roles.cluster] == [["namespaces"], ["nodes"], ["deployments"]]
    assert {namespace: rules[0]["resources"] for namespace, rules in roles.namespaces.items()} == {
        "kube-system": ["secrets"]
    }


def test_right_is_needed_in_each_watched_namespace_at_home_or_nowhere_in_particular() -> None:
    found = needs(
        Right("get", SECRETS),
        Right("get", CONFIG_MAPS, place="home"),
        Right("get", NODES),
        Right("get", NAMESPACES),
        Right("list", NAMESPACES),
        watched=("a", "b"),
    )

    assert [(str(need), need.namespace, need.name) for need in found] == [
        ("get secrets", "a", ""),
        ("get secrets", "b", ""),
        ("get configmaps", "h", ""),
        ("get nodes", "", ""),
        ("get namespaces", "a", "a"),
        ("get namespaces", "b", "b"),
        ("list namespaces", "", ""),
    ]


@pytest.mark.parametrize(
    ("right", "done", "is_covered"),
    [
        (Right("get", SECRETS), access("get", SECRETS, "x"), True),
        (Right("get", SECRETS), access("list", SECRETS), False),
        (Right("get", SECRETS), access("get", CONFIG_MAPS, "x"), False),
        (Right("get", SECRETS), access("get", SECRETS, "x", namespace="b"), False),
        (Right("get", SECRETS, place="home"), access("get", SECRETS, "x", namespace="h"), True),
        (Right("get", SECRETS, place="all"), access("get", SECRETS, "x", namespace="b"), True),
        (Right("get", SECRETS, name="x"), access("get", SECRETS, "y"), False),
        (Right("watch", SECRETS, name="x"), access("watch", SECRETS), True),
        (Right("patch", DEPLOYMENTS), access("patch", DEPLOYMENTS, "x", subresource="status"), False),
        (Right("patch", DEPLOYMENTS, "status"), access("patch", DEPLOYMENTS, "x", subresource="status"), True),
        (Right("get", NAMESPACES), access("get", NAMESPACES, "a", namespace=""), True),
        (Right("get", NAMESPACES), access("get", NAMESPACES, "b", namespace=""), False),
    ],
)
def test_need_covers_what_the_server_would_allow_by_it(right: Right, done: Access, *, is_covered: bool) -> None:
    assert needs(right)[0].covers(done) is is_covered


def test_right_is_the_same_in_every_version() -> None:
    older = ResourceType(GroupVersionKind("apps", "v1beta1", "Deployment"), "deployments")

    assert needs(Right("get", DEPLOYMENTS))[0].covers(access("get", older, "x"))


def test_comparison_names_what_is_too_narrow_and_what_is_too_wide() -> None:
    recorder = AccessRecorder(ThreadRuntime())
    for _ in range(2):
        recorder.sending(access("get", SECRETS, "x"))
        recorder.sending(access("patch", DEPLOYMENTS, "web", subresource="status"))

    found = compare(needs(Right("get", SECRETS), Right("list", SECRETS)), recorder.seen)

    assert found == Comparison(undeclared=("patch deployments.apps/status named web in a",), unused=("list secrets",))


def test_right_that_need_not_be_used_is_allowed_by_name_and_with_a_reason() -> None:
    found = compare(needs(Right("list", SECRETS)), [], allowed={"list secrets": "only servers without WatchList"})

    assert found == Comparison((), ())


def test_message_names_each_right_where_it_is_missing() -> None:
    missing = needs(
        Right("get", SECRETS, name="keys"), Right("patch", DEPLOYMENTS, "status"), Right("get", NODES), watched=("a",)
    )

    assert missing_rights_message(missing) == (
        "missing rights in namespace 'a': get secrets named keys, patch deployments.apps/status; "
        "in the cluster: get nodes; bind a ClusterRole that allows them"
    )
