"""Tokens, impersonation and reviews, answered as the real server answers them."""

import json
from typing import Any

import pytest

from framework.apiserver.auth import (
    Attributes,
    Authenticator,
    Impersonation,
    Reviews,
    ServiceAccountTokens,
    SigningKey,
    TokenRequests,
    UserInfo,
)
from framework.apiserver.auth.signing_key import unverified_payload
from framework.apiserver.status import status_document
from framework.clock import SystemClock
from framework.errors import ApiError
from tests.conformance.auth.cluster import a_user, refusal
from tests.conformance.auth.conftest import Stage

ISSUER = "https://kubernetes.default.svc.cluster.local"
AUTHORIZATION, AUTHENTICATION = "authorization.k8s.io", "authentication.k8s.io"


class Ours:
    """Our way of answering, over the service accounts and roles of the real server."""

    def __init__(self, stage: Stage) -> None:
        self.reader = stage.cluster.reader()
        for item in stage.cluster.admin.get("/api/v1/serviceaccounts").document["items"]:
            self.reader.put({**item, "kind": "ServiceAccount"})
        clock = SystemClock()
        self.tokens = ServiceAccountTokens(
            reader=self.reader, clock=clock, key=SigningKey.generate(), issuer=ISSUER, new_uid=lambda: "jti"
        )
        self.requests = TokenRequests(reader=self.reader, clock=clock, tokens=self.tokens)
        known = {token: UserInfo(name, name) for name, token in stage.cluster.tokens.items()}
        self.reviews = Reviews(
            authenticator=Authenticator(tokens=known, service_accounts=self.tokens),
            authorizer=stage.cluster.authorizer(),
            clock=clock,
        )


@pytest.fixture(scope="module")
def ours(stage: Stage) -> Ours:
    return Ours(stage)


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ({"Impersonate-User": "carol"}, "alice"),
        ({"Impersonate-User": "carol", "Impersonate-Group": "devs"}, "alice"),
        ({"Impersonate-User": "system:serviceaccount:default:robot"}, "alice"),
        ({"Impersonate-User": "system:serviceaccount:default:robot", "Impersonate-Group": "g"}, "alice"),
        ({"Impersonate-User": "system:node:n1"}, "alice"),
        ({"Impersonate-User": "system:node:n1", "Impersonate-Uid": "7"}, "bob"),
        ({"Impersonate-Group": "devs", "Impersonate-Uid": "7"}, "alice"),
        ({"Impersonate-Extra-Scopes": "view"}, "alice"),
    ],
)
def test_impersonation_is_refused_in_the_same_words(stage: Stage, headers: dict[str, str], name: str) -> None:
    attributes = Attributes(user=a_user(name), verb="list", resource="pods", namespace="default")
    lower = {header.lower(): value for header, value in headers.items()}

    reply = stage.cluster.user(name).get("/api/v1/namespaces/default/pods", headers=headers)
    with pytest.raises(ApiError) as error:
        Impersonation(stage.cluster.authorizer()).user_for(lower, attributes)

    document = status_document(error.value)
    assert refusal(reply) == {field: document.get(field) for field in ("code", "reason", "message", "details")}


@pytest.mark.parametrize(
    "headers",
    [
        {"Impersonate-User": "carol"},
        {"Impersonate-User": "carol", "Impersonate-Group": "devs", "Impersonate-Uid": "7"},
        {"Impersonate-User": "carol", "Impersonate-Extra-Example.com%2fscopes": "view"},
        {"Impersonate-User": "system:serviceaccount:default:robot"},
        {"Impersonate-User": "system:anonymous"},
        {"Impersonate-User": "system:node:n1"},
    ],
)
def test_an_impersonated_user_is_the_same(stage: Stage, ours: Ours, headers: dict[str, str]) -> None:
    # Otherwise reviews are not theirs to make.
    headers = {"Impersonate-Group": "system:masters", **headers}
    lower = {header.lower(): value for header, value in headers.items()}
    admin = UserInfo("admin", groups=("system:masters", "system:authenticated"))
    review = {"kind": "SelfSubjectReview", "apiVersion": f"{AUTHENTICATION}/v1"}
    attributes = Attributes(user=admin, verb="create", group=AUTHENTICATION, resource="selfsubjectreviews")

    reply = stage.cluster.admin.create(f"/apis/{AUTHENTICATION}/v1/selfsubjectreviews", review, headers=headers)
    user = Impersonation(stage.cluster.authorizer()).user_for(lower, attributes)

    if reply.status == 201:
        assert ours.reviews.review("SelfSubjectReview", review, user)["status"] == reply.document["status"]
    else:
        assert f'User "{user.name}" cannot create' in reply.message


@pytest.mark.parametrize(
    ("kind", "group", "fields"),
    [
        ("SelfSubjectReview", AUTHENTICATION, {}),
        ("SelfSubjectAccessReview", AUTHORIZATION, {"spec": {}}),
        ("SelfSubjectAccessReview", AUTHORIZATION, {"spec": {"resourceAttributes": {"verb": "get", "resource": "x"}}}),
        (
            "SelfSubjectAccessReview",
            AUTHORIZATION,
            {"spec": {"resourceAttributes": {}, "nonResourceAttributes": {"path": "/x", "verb": "get"}}},
        ),
        ("SelfSubjectRulesReview", AUTHORIZATION, {"spec": {}}),
    ],
)
def test_reviews_about_oneself_have_the_same_answer(
    stage: Stage, ours: Ours, kind: str, group: str, fields: dict[str, Any]
) -> None:
    review = {"kind": kind, "apiVersion": f"{group}/v1", **fields}

    reply = stage.cluster.user("alice").create(f"/apis/{group}/v1/{kind.lower()}s", review)

    assert _answer(lambda: ours.reviews.review(kind, review, a_user("alice"))) == _comparable(reply.document)


@pytest.mark.parametrize(
    "spec",
    [
        {"user": "alice", "resourceAttributes": {"verb": "list", "resource": "nodes"}},
        {"groups": ["system:authenticated"], "nonResourceAttributes": {"verb": "get", "path": "/api"}},
        {"groups": ["system:masters"], "resourceAttributes": {"verb": "list", "resource": "nodes"}},
        {"resourceAttributes": {"verb": "list", "resource": "nodes"}},
        {"user": "alice"},
    ],
)
def test_reviews_about_others_have_the_same_answer(stage: Stage, ours: Ours, spec: Any) -> None:
    review = {"kind": "SubjectAccessReview", "apiVersion": f"{AUTHORIZATION}/v1", "spec": spec}

    reply = stage.cluster.admin.create(f"/apis/{AUTHORIZATION}/v1/subjectaccessreviews", review)

    assert _answer(lambda: ours.reviews.review("SubjectAccessReview", review, a_user("x"))) == _comparable(
        reply.document
    )


def test_token_reviews_have_the_same_answer(stage: Stage, ours: Ours) -> None:
    path = "/api/v1/namespaces/default/serviceaccounts/default/token"
    request = {"kind": "TokenRequest", "apiVersion": f"{AUTHENTICATION}/v1", "spec": {"audiences": []}}
    real_token = stage.cluster.admin.create(path, request).document["status"]["token"]
    our_token = ours.requests.create("default", "default", request)["status"]["token"]
    static = stage.cluster.tokens["alice"]
    pairs = [(static, static), ("garbage", "garbage"), (real_token, our_token)]
    pairs += [(f"{token[0][:-4]}AAAA", f"{token[1][:-4]}AAAA") for token in pairs[2:]]

    for real, own in pairs:
        for audiences in ([], ["x"], ["x", ISSUER]):
            answers = []
            for token, review in ((real, None), (own, ours.reviews)):
                body = {
                    "kind": "TokenReview",
                    "apiVersion": f"{AUTHENTICATION}/v1",
                    "spec": {"token": token, "audiences": audiences},
                }
                if review is None:
                    reply = stage.cluster.admin.create(f"/apis/{AUTHENTICATION}/v1/tokenreviews", body)
                    answers.append(reply.document["status"])
                else:
                    answers.append(review.review("TokenReview", body, a_user("x"))["status"])
            for answer in answers:
                answer.get("user", {}).pop("extra", None)
            assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("default", {"spec": {"audiences": []}}),
        ("default", {"spec": {"audiences": ["vault"], "expirationSeconds": 700}}),
        ("default", {"spec": {"audiences": [], "expirationSeconds": 5}}),
        ("default", {"spec": {"audiences": [], "expirationSeconds": 1 << 33}}),
        ("default", {"spec": {"audiences": [], "boundObjectRef": {"kind": "Foo", "apiVersion": "a/v1", "name": "x"}}}),
        ("default", {"spec": {"audiences": [], "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "x"}}}),
        ("default", {"metadata": {"name": "other"}, "spec": {"audiences": []}}),
        ("default", {"metadata": {"uid": "other"}, "spec": {"audiences": []}}),
        ("missing", {"spec": {"audiences": []}}),
    ],
)
def test_token_requests_have_the_same_answer(stage: Stage, ours: Ours, name: str, fields: dict[str, Any]) -> None:
    request = {"kind": "TokenRequest", "apiVersion": f"{AUTHENTICATION}/v1", **fields}

    reply = stage.cluster.admin.create(f"/api/v1/namespaces/default/serviceaccounts/{name}/token", request)
    own = _answer(lambda: ours.requests.create("default", name, request))

    assert own == _comparable(reply.document)


def _answer(act: Any) -> Any:
    try:
        return _comparable(act())
    except ApiError as error:
        return _comparable(status_document(error))


def _comparable(document: Any) -> Any:
    """Without what differs each time: times, who manages which field, and the token but for its claims."""
    status = document.get("status")
    if isinstance(status, dict) and "token" in status:
        claims = _claims(status["token"])
        status = {"token": {**claims, "exp": claims["exp"] - claims["iat"], "iat": 0, "nbf": 0, "jti": ""}}
    dropped = ("managedFields", "creationTimestamp")
    metadata = {field: value for field, value in (document.get("metadata") or {}).items() if field not in dropped}
    return {**document, "metadata": metadata, "status": status}


def _claims(token: str) -> Any:
    return json.loads(unverified_payload(token) or b"{}")
