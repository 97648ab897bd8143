from typing import Any

import pytest

from framework.apiserver.auth import AlwaysAllow, Authenticator, RbacAuthorizer, Reviews, UserInfo
from framework.apiserver.objects import Object
from framework.errors import ApiError
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.apiserver.auth.fakes import ALICE, FakeReader, a_binding, a_role, rule, user

READER = FakeReader(
    a_role("r", rule(["get"], [""], ["pods"], ["one"]), {"verbs": ["get"], "nonResourceURLs": ["/x"]}),
    a_binding("b", "r", user("alice")),
    a_binding("c", "gone", user("alice")),
)
REVIEWS = Reviews(
    authenticator=Authenticator(tokens={"t": UserInfo("bob", "b1")}, audiences=["us"]),
    authorizer=RbacAuthorizer(READER),
    clock=VirtualTime().clock,
)
GET_ONE = {"verb": "get", "resource": "pods", "name": "one", "namespace": "ns"}


def answer(kind: str, spec: Object, *, who: UserInfo = ALICE, namespace: str = "", **more: Any) -> Object:
    status: Object = REVIEWS.review(kind, {"kind": kind, "spec": spec, **more}, who, namespace)["status"]
    return status


def test_the_answer_about_oneself_says_why() -> None:
    allowed = answer("SelfSubjectAccessReview", {"resourceAttributes": GET_ONE})
    refused = answer("SelfSubjectAccessReview", {"nonResourceAttributes": {"verb": "get", "path": "/y"}})

    assert allowed == {
        "allowed": True,
        "reason": 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "alice"',
    }
    assert refused == {
        "allowed": False,
        "reason": 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    }


def test_one_may_ask_about_others() -> None:
    spec = {"resourceAttributes": GET_ONE, "user": "alice"}

    assert answer("SubjectAccessReview", spec, who=UserInfo("bob"))["allowed"]
    assert not answer("SubjectAccessReview", {**spec, "user": "carol"})["allowed"]
    assert answer("LocalSubjectAccessReview", spec, namespace="ns", metadata={"namespace": "ns"})["allowed"]


@pytest.mark.parametrize(
    ("kind", "obj", "message"),
    [
        (
            "SelfSubjectAccessReview",
            {"spec": {}},
            (
                '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of '
                "nonResourceAttributes or resourceAttributes must be specified"
            ),
        ),
        (
            "SubjectAccessReview",
            {"spec": {"resourceAttributes": {}}},
            (
                '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must '
                "be specified"
            ),
        ),
        (
            "SubjectAccessReview",
            {"spec": {"resourceAttributes": {}, "user": "a"}, "metadata": {"name": "x"}},
            '.authorization.k8s.io "" is invalid: metadata: Invalid value: {"name":"x"}: must be empty',
        ),
        (
            "LocalSubjectAccessReview",
            {"spec": {"resourceAttributes": {"namespace": "b"}, "user": "a"}, "metadata": {"namespace": "a"}},
            (
                '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "b": must '
                "match metadata.namespace"
            ),
        ),
        ("SelfSubjectRulesReview", {"spec": {}}, "no namespace on request"),
        ("TokenReview", {"spec": {}}, "token is required for TokenReview in authentication"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(kind: str, obj: Object, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        REVIEWS.review(kind, obj, ALICE, "a")

    assert refusal.value.status.message == message


def test_the_rules_of_a_user_are_told_with_what_could_not_be_found() -> None:
    assert answer("SelfSubjectRulesReview", {"namespace": "ns"}) == {
        "resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["one"]}],
        "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}],
        "incomplete": False,
        "evaluationError": 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    }


def test_a_token_review_tells_whose_token_it_is() -> None:
    assert answer("TokenReview", {"token": "t"}) == {
        "authenticated": True,
        "user": {"username": "bob", "uid": "b1", "groups": ["system:authenticated"]},
        "audiences": ["us"],
    }
    assert answer("TokenReview", {"token": "wrong"}) == {"user": {}, "error": "invalid bearer token"}
    assert answer("TokenReview", {"token": "t", "audiences": ["them"]}) == {
        "user": {},
        "error": "invalid bearer token",
    }


def test_one_can_ask_who_one_is() -> None:
    who = UserInfo("alice", "a1", ("g",), {"k": ("v",)})

    assert answer("SelfSubjectReview", {}, who=who) == {
        "userInfo": {"username": "alice", "uid": "a1", "groups": ["g"], "extra": {"k": ["v"]}}
    }


def test_without_authorization_the_rules_are_everything() -> None:
    reviews = Reviews(authenticator=Authenticator(tokens={}), authorizer=AlwaysAllow(), clock=VirtualTime().clock)

    status = reviews.review("SelfSubjectRulesReview", {"spec": {"namespace": "ns"}}, ALICE)["status"]

    assert status["resourceRules"] == [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
