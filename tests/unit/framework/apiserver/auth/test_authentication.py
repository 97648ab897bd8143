from collections.abc import Callable
from itertools import count

import pytest

from framework.apiserver.auth import Authenticator, ServiceAccountTokens, SigningKey, TokenRequests, UserInfo
from framework.apiserver.objects import Object
from framework.errors import ApiError, Unauthorized
from framework.http.exchange import PeerCertificate
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.apiserver.auth.fakes import ADMIN, FakeReader

ISSUER = "https://issuer"
KEY = SigningKey.generate()


def an_object(kind: str, name: str, uid: str = "1", **more: object) -> Object:
    namespace = {} if kind == "Node" else {"namespace": "ns"}
    return {"kind": kind, "metadata": {"name": name, "uid": uid, **namespace}, **more}


class Cluster:
    """A server's way from a token to a user, on a clock that stands still."""

    def __init__(self, *, allow_anonymous: bool = True) -> None:
        self.time = VirtualTime()
        self.reader = FakeReader(an_object("ServiceAccount", "robot", "sa-1"))
        numbers = count()
        tokens = ServiceAccountTokens(
            reader=self.reader, clock=self.time.clock, key=KEY, issuer=ISSUER, new_uid=lambda: f"jti-{next(numbers)}"
        )
        self.requests = TokenRequests(reader=self.reader, clock=self.time.clock, tokens=tokens)
        self.authenticator = Authenticator(
            tokens={"t0ken": UserInfo("admin", "a1", ("system:masters",))},
            service_accounts=tokens,
            allow_anonymous=allow_anonymous,
        )

    def token(self, **spec: object) -> str:
        answer = self.requests.create("ns", "robot", {"spec": spec})
        return str(answer["status"]["token"])

    def user(self, authorization: str, peer: PeerCertificate | None = None) -> UserInfo:
        return self.authenticator.authenticate({"authorization": authorization}, peer)

    def rejection(self, token: str) -> str:
        with pytest.raises(Unauthorized):
            self.user(f"Bearer {token}")
        return self.authenticator.review_token(token).error


def test_a_known_token_stands_for_its_user() -> None:
    assert Cluster().user("Bearer t0ken") == UserInfo("admin", "a1", ADMIN.groups)


@pytest.mark.parametrize("header", ["Bearer wrong", "bearer t0kenX", "Bearer t0ke"])
def test_a_wrong_token_is_unauthorized_even_where_nobody_needs_one(header: str) -> None:
    with pytest.raises(Unauthorized) as error:
        Cluster().user(header)

    assert error.value.status.message == "Unauthorized"


@pytest.mark.parametrize("header", ["", "Basic abc", "Bearer", "Bearer "])
def test_without_a_token_one_is_anonymous(header: str) -> None:
    assert Cluster().user(header) == UserInfo("system:anonymous", groups=("system:unauthenticated",))


def test_anonymous_requests_can_be_switched_off() -> None:
    with pytest.raises(Unauthorized):
        Cluster(allow_anonymous=False).user("")


def test_a_client_certificate_counts_before_a_token() -> None:
    user = Cluster().user("Bearer wrong", PeerCertificate("carol", ("devs",)))

    assert user == UserInfo("carol", groups=("devs", "system:authenticated"))


def test_a_service_account_token_stands_for_the_account() -> None:
    cluster = Cluster()

    user = cluster.user(f"Bearer {cluster.token()}")

    assert user.name == "system:serviceaccount:ns:robot"
    assert user.uid == "sa-1"
    assert user.groups == ("system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated")
    assert user.extra == {"authentication.kubernetes.io/credential-id": ("JTI=jti-0",)}


def test_a_token_bound_to_a_pod_tells_the_pod_and_its_node() -> None:
    cluster = Cluster()
    cluster.reader.put(
        an_object("Pod", "p", "pod-1", spec={"serviceAccountName": "robot", "nodeName": "n"}),
        an_object("Node", "n", "node-1"),
    )

    user = cluster.user(f"Bearer {cluster.token(boundObjectRef={'kind': 'Pod', 'apiVersion': 'v1', 'name': 'p'})}")

    assert {key.partition("/")[2]: value for key, value in user.extra.items()} == {
        "pod-name": ("p",),
        "pod-uid": ("pod-1",),
        "node-name": ("n",),
        "node-uid": ("node-1",),
        "credential-id": ("JTI=jti-0",),
    }


def test_a_token_expires_a_minute_after_its_time() -> None:
    cluster = Cluster()
    token = cluster.token(expirationSeconds=600)

    cluster.time.advance(655)
    cluster.user(f"Bearer {token}")
    cluster.time.advance(10)

    assert cluster.rejection(token) == "[invalid bearer token, service account token has expired]"


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        (lambda reader: reader.remove("ServiceAccount", "ns", "robot"), 'serviceaccounts "robot" not found'),
        (
            lambda reader: reader.put(an_object("ServiceAccount", "robot", "sa-2")),
            "service account UID (sa-2) does not match claim (sa-1)",
        ),
        (lambda reader: reader.remove("Secret", "ns", "s"), "service account token has been invalidated"),
        (
            lambda reader: reader.put(an_object("Secret", "s", "other")),
            "secret UID (other) does not match service account secret ref claim (secret-1)",
        ),
    ],
)
def test_a_token_dies_with_what_it_is_bound_to(harm: Callable[[FakeReader], None], why: str) -> None:
    cluster = Cluster()
    cluster.reader.put(an_object("Secret", "s", "secret-1"))
    token = cluster.token(boundObjectRef={"kind": "Secret", "apiVersion": "v1", "name": "s"})
    cluster.user(f"Bearer {token}")

    harm(cluster.reader)

    assert cluster.rejection(token) == f"[invalid bearer token, {why}]"


def test_a_forged_token_is_rejected() -> None:
    cluster = Cluster()
    token = cluster.token()
    head, payload, _ = token.split(".")

    for forged in (f"{token[:-4]}AAAA", f"{head}.{payload}.", f"eyJhbGciOiJub25lIn0.{payload}."):
        assert cluster.rejection(forged) == (
            "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]"
        )


def test_a_token_of_another_key_is_rejected() -> None:
    cluster, other = Cluster(), SigningKey.generate()
    payload = KEY.verify(cluster.token())

    assert cluster.rejection(other.sign(payload)) == "[invalid bearer token, invalid signature, no keys found]"


def test_a_token_for_others_is_not_for_us() -> None:
    cluster = Cluster()
    token = cluster.token(audiences=["vault"])

    assert cluster.rejection(token) == (
        f'[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["{ISSUER}"]]'
    )
    assert cluster.authenticator.review_token(token, ["vault", "x"]).audiences == ("vault",)


def test_a_token_request_is_answered_with_what_was_defaulted() -> None:
    cluster = Cluster()

    answer = cluster.requests.create("ns", "robot", {"spec": {}})

    assert answer["metadata"] | {"creationTimestamp": ""} == {
        "name": "robot",
        "namespace": "ns",
        "uid": "sa-1",
        "creationTimestamp": "",
    }
    assert answer["spec"] == {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": None}
    assert set(answer["status"]) == {"token", "expirationTimestamp"}


@pytest.mark.parametrize(
    ("name", "request_", "message"),
    [
        ("gone", {}, 'serviceaccounts "gone" not found'),
        (
            "robot",
            {"spec": {"expirationSeconds": 5}},
            (
                'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 5: '
                "may not specify a duration less than 10 minutes"
            ),
        ),
        (
            "robot",
            {"metadata": {"name": "other"}},
            (
                'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": '
                "must match the service account name if specified"
            ),
        ),
        (
            "robot",
            {"metadata": {"uid": "x"}},
            (
                'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token '
                "request (x) does not match the UID of the service account (sa-1)"
            ),
        ),
        (
            "robot",
            {"spec": {"boundObjectRef": {"kind": "Foo", "apiVersion": "v1", "name": "x"}}},
            "cannot bind token to object of type /v1, Kind=Foo",
        ),
        (
            "robot",
            {"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "x"}}},
            'pods "x" not found',
        ),
    ],
)
def test_a_token_request_that_cannot_be_met_is_refused(name: str, request_: Object, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        Cluster().requests.create("ns", name, request_)

    assert refusal.value.status.message == message
