"""Who a request comes from: tokens are Secrets that hold a hash, an account list and a permission."""

import hashlib
import hmac
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from apis.core.v1 import Secret
from controllers.cfapi import failure

TOKEN_LABEL = "api.cf-worker/api-token"  # noqa: S105 - the name of a label
TOKEN_SELECTOR = f"{TOKEN_LABEL}=true"
_BEARER = "bearer "
_ALL_ACCOUNTS = "*"
_HEX_DIGITS = frozenset("0123456789abcdef")
_READING_METHODS = frozenset({"GET", "HEAD"})


class Secrets(Protocol):
    def list(self) -> Iterable[Secret]:
        """All Secrets with the label of tokens."""


class Identity(msgspec.Struct, frozen=True):
    """What the token of a request allows; the token itself is gone."""

    id: str
    email: str
    accounts: frozenset[str]
    may_write: bool

    def may_use(self, account: str) -> bool:
        return _ALL_ACCOUNTS in self.accounts or account in self.accounts

    def check(self, account: str, method: str) -> None:
        """Raise what to answer if this token does not allow that."""
        if not self.may_use(account):
            raise failure.forbidden(f"the token is not for account {account!r}")
        self.check_method(method)

    def check_method(self, method: str) -> None:
        if not self.may_write and method not in _READING_METHODS:
            raise failure.forbidden("the token may read only")


class Tokens:
    """Finds the Secret of a token; every Secret is compared, so that time tells nothing."""

    def __init__(self, secrets: Secrets, is_ready: Callable[[], bool]) -> None:
        self._secrets = secrets
        self._is_ready = is_ready

    def identify(self, authorization: str | None) -> Identity:
        """Whoever sent the header *authorization*; raises what to answer to a stranger."""
        if authorization is None or authorization[: len(_BEARER)].lower() != _BEARER:
            raise failure.unauthenticated()
        if not self._is_ready():
            # A token that is not known yet is not a wrong one.
            raise failure.unavailable("this server is starting")
        # Not the token but its hash is compared: two that differ in one bit differ everywhere.
        given = hashlib.sha256(authorization[len(_BEARER) :].strip().encode(errors="replace")).hexdigest().encode()
        found: Secret | None = None
        for secret in self._secrets.list():
            if hmac.compare_digest(_hash_of(secret), given) and not secret.metadata.is_being_deleted:
                found = secret
        if found is None:
            raise failure.unauthenticated()
        return _identity_of(found)


def _hash_of(secret: Secret) -> bytes:
    """Empty, which no token has, if the Secret holds no hash."""
    text = _text(secret, "token-sha256").lower()
    return text.encode() if len(text) == hashlib.sha256().digest_size * 2 and _HEX_DIGITS.issuperset(text) else b""


def _identity_of(secret: Secret) -> Identity:
    names = (name.strip() for name in _text(secret, "accounts").split(","))
    return Identity(
        id=secret.metadata.uid,
        email=_text(secret, "email"),
        accounts=frozenset(name for name in names if name),
        may_write=_text(secret, "permission") == "write",
    )


def _text(secret: Secret, key: str) -> str:
    return secret.data.get(key, b"").decode("utf-8", "replace").strip()
