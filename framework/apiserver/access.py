"""Everything about who may do what: the gate, and the kinds that answer questions about it."""

from collections.abc import Callable, Mapping

from framework.apiserver.auth import (
    AlwaysAllow,
    Authenticator,
    Authorizer,
    RbacAuthorizer,
    Reviews,
    ServiceAccountTokens,
    SigningKey,
    TokenRequests,
    UserInfo,
)
from framework.apiserver.gate import Gate
from framework.apiserver.storage import Storage
from framework.clock import Clock

ISSUER = "https://kubernetes.default.svc.cluster.local"


class Access:
    def __init__(
        self,
        storage: Storage,
        *,
        clock: Clock,
        new_uid: Callable[[], str],
        signing_key: SigningKey,
        tokens: Mapping[str, UserInfo],
        has_authorization: bool,
        allows_anonymous: bool,
    ) -> None:
        self.authorizer: Authorizer = RbacAuthorizer(storage) if has_authorization else AlwaysAllow()
        accounts = ServiceAccountTokens(reader=storage, clock=clock, key=signing_key, issuer=ISSUER, new_uid=new_uid)
        authenticator = Authenticator(tokens=tokens, service_accounts=accounts, allow_anonymous=allows_anonymous)
        self.gate = Gate(authenticator, self.authorizer)
        self.reviews = Reviews(authenticator=authenticator, authorizer=self.authorizer, clock=clock)
        self.token_requests = TokenRequests(reader=storage, clock=clock, tokens=accounts)
