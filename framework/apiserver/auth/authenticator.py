"""Finds out who makes a request."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence

import msgspec

from framework.apiserver import status
from framework.apiserver.auth.quoting import joined_errors
from framework.apiserver.auth.service_account_tokens import ServiceAccountTokens, TokenRejected
from framework.apiserver.auth.user import ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED, UserInfo, anonymous
from framework.http.exchange import PeerCertificate

_INVALID = "invalid bearer token"


class TokenAnswer(msgspec.Struct, frozen=True):
    """Who a token stands for, or why it stands for nobody."""

    user: UserInfo | None
    audiences: tuple[str, ...] = ()
    error: str = ""


class Authenticator:
    """Client certificate first, then bearer token, then nobody in particular."""

    def __init__(
        self,
        *,
        tokens: Mapping[str, UserInfo],
        service_accounts: ServiceAccountTokens | None = None,
        audiences: Sequence[str] = (),
        allow_anonymous: bool = True,
    ) -> None:
        # Found by digest: how long a look-up takes then tells nothing about the tokens there are.
        self._static = {_digest(token): (token.encode(), _authenticated(user)) for token, user in tokens.items()}
        self._service_accounts = service_accounts
        self._audiences = tuple(audiences) or (service_accounts.audiences if service_accounts else ())
        self._allow_anonymous = allow_anonymous

    def authenticate(self, headers: Mapping[str, str], peer: PeerCertificate | None) -> UserInfo:
        """Raises Unauthorized for a wrong token, and for no credentials at all where that is not allowed."""
        if peer is not None and peer.common_name:
            return _authenticated(UserInfo(peer.common_name, groups=peer.organizations))
        token = bearer_token(headers)
        if token:
            return self._user_of(token)
        if not self._allow_anonymous:
            raise status.unauthorized()
        return anonymous()

    def review_token(self, token: str, audiences: Sequence[str] = ()) -> TokenAnswer:
        """What a TokenReview says about *token*, when it is shown to *audiences*."""
        wanted = tuple(audiences) or self._audiences
        if (user := self._static_user(token)) is not None:
            shared = tuple(audience for audience in self._audiences if audience in wanted)
            # Static tokens are for this server alone.
            return TokenAnswer(user, shared) if shared or not self._audiences else TokenAnswer(None, error=_INVALID)
        try:
            verified = self._service_accounts.verify(token, wanted) if self._service_accounts else None
        except TokenRejected as error:
            return TokenAnswer(None, error=joined_errors([_INVALID, str(error)]))
        if verified is None:
            return TokenAnswer(None, error=_INVALID)
        return TokenAnswer(_authenticated(verified.user), verified.audiences)

    def _user_of(self, token: str) -> UserInfo:
        if (user := self._static_user(token)) is not None:
            return user
        user = self.review_token(token).user
        if user is None:
            raise status.unauthorized()
        return user

    def _static_user(self, token: str) -> UserInfo | None:
        found = self._static.get(_digest(token))
        if found is None or not hmac.compare_digest(found[0], token.encode()):
            return None
        return found[1]


def bearer_token(headers: Mapping[str, str]) -> str:
    """The token in the Authorization header; "" if there is none."""
    kind, _, rest = headers.get("authorization", "").strip().partition(" ")
    return rest.partition(" ")[0] if kind.lower() == "bearer" else ""


def _authenticated(user: UserInfo) -> UserInfo:
    if user.name == ANONYMOUS or UNAUTHENTICATED in user.groups:
        return user
    return user.with_group(AUTHENTICATED)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
