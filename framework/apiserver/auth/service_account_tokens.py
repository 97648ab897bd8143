"""Service account tokens: issued here, and believed as long as what they are bound to exists."""

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from framework.apiserver.auth.quoting import quoted_list
from framework.apiserver.auth.signing_key import BadSignature, SigningKey, unverified_payload
from framework.apiserver.auth.user import UserInfo, service_account_groups, service_account_name
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.reader import ObjectReader
from framework.apiserver.spelling import spelled_string
from framework.clock import Clock

SERVICE_ACCOUNTS = GroupResource("", "serviceaccounts")
PODS = GroupResource("", "pods")
SECRETS = GroupResource("", "secrets")
NODES = GroupResource("", "nodes")

# Clocks differ; what ended a minute ago may still be used.
_LEEWAY_SECONDS = 60
_MOST_CACHED = 1024
_EXTRA = "authentication.kubernetes.io/"


class TokenRejected(Exception):
    """A token of ours that is not good (any more); the text is what TokenReviews show."""


class Reference(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    uid: str = ""


class BoundTo(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a token dies with."""

    namespace: str
    node: Reference | None = None
    pod: Reference | None = None
    secret: Reference | None = None
    serviceaccount: Reference = Reference("")


class Claims(msgspec.Struct, frozen=True, omit_defaults=True):
    aud: tuple[str, ...]
    exp: int
    iat: int
    iss: str
    jti: str
    bound_to: BoundTo = msgspec.field(name="kubernetes.io")
    nbf: int
    sub: str


class _Issuer(msgspec.Struct):
    iss: str = ""


class VerifiedToken(msgspec.Struct, frozen=True):
    user: UserInfo
    audiences: tuple[str, ...]


class ServiceAccountTokens:
    def __init__(
        self,
        *,
        reader: ObjectReader,
        clock: Clock,
        key: SigningKey,
        issuer: str,
        new_uid: Callable[[], str],
        audiences: Sequence[str] = (),
    ) -> None:
        self._reader = reader
        self._clock = clock
        self._key = key
        self._issuer = issuer
        self._new_uid = new_uid
        self.audiences = tuple(audiences) or (issuer,)
        # Tokens whose signature is good. A signature takes a hundred times as long as all other checks together.
        self._genuine: dict[str, Claims] = {}

    def issue(self, bound_to: BoundTo, *, audiences: Sequence[str], now: datetime, expiration_seconds: int) -> str:
        issued_at = int(now.timestamp())
        claims = Claims(
            aud=tuple(audiences),
            exp=issued_at + expiration_seconds,
            iat=issued_at,
            iss=self._issuer,
            jti=self._new_uid(),
            bound_to=bound_to,
            nbf=issued_at,
            sub=service_account_name(bound_to.namespace, bound_to.serviceaccount.name),
        )
        return self._key.sign(msgspec.json.encode(claims))

    def verify(self, token: str, audiences: Sequence[str] = ()) -> VerifiedToken | None:
        """Who *token* stands for, None if it is not one of ours; raises TokenRejected.

        *audiences* are those whom the token is shown to, by default this server.
        """
        claims = self._genuine.get(token) or self._check_signature(token)
        if claims is None:
            return None
        wanted = tuple(audiences) or self.audiences
        shared = tuple(audience for audience in claims.aud if audience in wanted)
        if not shared:
            raise TokenRejected(
                f"token audiences {quoted_list(claims.aud)} is invalid for the target audiences {quoted_list(wanted)}"
            )
        self._check_times(claims)
        self._check_bindings(claims.bound_to)
        return VerifiedToken(_user(claims), shared)

    def _check_signature(self, token: str) -> Claims | None:
        payload = unverified_payload(token)
        if payload is None or _issuer_of(payload) != self._issuer:
            return None
        try:
            claims = msgspec.json.decode(self._key.verify(token), type=Claims)
        except BadSignature as error:
            raise TokenRejected(str(error)) from None
        except msgspec.DecodeError:
            return None
        if len(self._genuine) >= _MOST_CACHED:
            self._genuine.clear()
        self._genuine[token] = claims
        return claims

    def _check_times(self, claims: Claims) -> None:
        now = self._clock.now().timestamp()
        if now > claims.exp + _LEEWAY_SECONDS:
            raise TokenRejected("service account token has expired")
        if now < claims.nbf - _LEEWAY_SECONDS:
            raise TokenRejected("service account token is not valid yet")

    def _check_bindings(self, bound_to: BoundTo) -> None:
        self._check_account(bound_to.namespace, bound_to.serviceaccount)
        if bound_to.secret is not None:
            self._check_bound(SECRETS, bound_to.namespace, bound_to.secret)
        if bound_to.pod is not None:
            self._check_bound(PODS, bound_to.namespace, bound_to.pod)
        elif bound_to.node is not None:
            self._check_bound(NODES, "", bound_to.node)

    def _check_account(self, namespace: str, claimed: Reference) -> None:
        account = self._reader.get(SERVICE_ACCOUNTS, namespace, claimed.name)
        if account is None:
            raise TokenRejected(f"serviceaccounts {spelled_string(claimed.name)} not found")
        uid = account["metadata"].get("uid", "")
        if uid != claimed.uid:
            raise TokenRejected(f"service account UID ({uid}) does not match claim ({claimed.uid})")
        if self._is_long_deleted(account):
            raise TokenRejected(f"service account {namespace}/{claimed.name} has been deleted")

    def _check_bound(self, resource: GroupResource, namespace: str, claimed: Reference) -> None:
        obj = self._reader.get(resource, namespace, claimed.name)
        if obj is None or self._is_long_deleted(obj):
            raise TokenRejected("service account token has been invalidated")
        uid = obj["metadata"].get("uid", "")
        if uid != claimed.uid:
            kind = resource.resource.removesuffix("s")
            raise TokenRejected(f"{kind} UID ({uid}) does not match service account {kind} ref claim ({claimed.uid})")

    def _is_long_deleted(self, obj: Object) -> bool:
        deleted_at = obj["metadata"].get("deletionTimestamp")
        if deleted_at is None:
            return False
        return datetime.fromisoformat(deleted_at).timestamp() < self._clock.now().timestamp() - _LEEWAY_SECONDS


def _issuer_of(payload: bytes) -> str:
    try:
        return msgspec.json.decode(payload, type=_Issuer).iss
    except msgspec.DecodeError:
        return ""


def _user(claims: Claims) -> UserInfo:
    bound_to = claims.bound_to
    extra: dict[str, tuple[str, ...]] = {}
    if bound_to.pod is not None:
        extra[f"{_EXTRA}pod-name"] = (bound_to.pod.name,)
        extra[f"{_EXTRA}pod-uid"] = (bound_to.pod.uid,)
    extra[f"{_EXTRA}credential-id"] = (f"JTI={claims.jti}",)
    if bound_to.node is not None:
        extra[f"{_EXTRA}node-name"] = (bound_to.node.name,)
        if bound_to.node.uid:
            extra[f"{_EXTRA}node-uid"] = (bound_to.node.uid,)
    return UserInfo(claims.sub, bound_to.serviceaccount.uid, service_account_groups(bound_to.namespace), extra)
