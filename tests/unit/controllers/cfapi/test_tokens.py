import hashlib
from typing import Any

import pytest

from apis.core.v1 import Secret
from apis.meta import ObjectMeta, time_of
from apis.meta.time import MicroTimeText
from controllers.cfapi.failure import CfError
from controllers.cfapi.tokens import Tokens

TOKEN = "the-token"
HASH = hashlib.sha256(TOKEN.encode()).hexdigest()


def a_secret(token_hash: str = HASH, **data: str) -> Secret:
    given = {"token-sha256": token_hash, "accounts": "acme, beta ,", "permission": "write", "email": "a@b", **data}
    return Secret(metadata=ObjectMeta(uid="u1"), data={name: value.encode() for name, value in given.items()})


class Listed:
    def __init__(self, *secrets: Secret) -> None:
        self._secrets = secrets

    def list(self) -> tuple[Secret, ...]:
        return self._secrets


def tokens(*secrets: Secret, is_ready: bool = True) -> Tokens:
    return Tokens(Listed(*secrets), lambda: is_ready)


def refusal(call: Any, *arguments: Any) -> tuple[int, int]:
    with pytest.raises(CfError) as caught:
        call(*arguments)
    return caught.value.status, caught.value.code


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer  {TOKEN} "])
def test_token_is_found_by_its_hash(header: str) -> None:
    identity = tokens(a_secret("0" * 64), a_secret(HASH.upper())).identify(header)

    assert identity.accounts == {"acme", "beta"}
    assert (identity.id, identity.email, identity.may_write) == ("u1", "a@b", True)


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer other", f"Basic {TOKEN}", TOKEN, "Bearer \udcff"]
)
def test_anything_else_is_a_stranger(header: str | None) -> None:
    assert refusal(tokens(a_secret()).identify, header) == (401, 10000)


@pytest.mark.parametrize("stored", ["", TOKEN, "zz" * 32, HASH[:-1], hashlib.sha256(b"").hexdigest()[:10]])
def test_secret_without_a_hash_lets_nobody_in(stored: str) -> None:
    for header in (f"Bearer {stored}", "Bearer ", f"Bearer {TOKEN}"):
        assert refusal(tokens(a_secret(stored)).identify, header) == (401, 10000)


def test_token_that_is_being_deleted_is_void() -> None:
    gone = time_of(MicroTimeText("2024-01-01T00:00:00.000000Z"))
    secret = Secret(metadata=ObjectMeta(deletion_timestamp=gone), data=a_secret().data)

    assert refusal(tokens(secret).identify, f"Bearer {TOKEN}") == (401, 10000)


def test_token_that_is_not_known_yet_is_not_refused_for_good() -> None:
    assert refusal(tokens(is_ready=False).identify, f"Bearer {TOKEN}") == (503, 10013)


@pytest.mark.parametrize(("permission", "may_write"), [("write", True), ("read", False), ("", False), ("Write", False)])
def test_only_the_word_write_allows_to_write(permission: str, may_write: bool) -> None:  # noqa: FBT001 - a parameter
    identity = tokens(a_secret(permission=permission)).identify(f"Bearer {TOKEN}")

    assert identity.may_write is may_write
    if not may_write:
        assert refusal(identity.check, "acme", "PUT") == (403, 10000)
    identity.check("acme", "GET")
    assert refusal(identity.check, "other", "GET") == (403, 10000)


def test_star_is_every_account() -> None:
    assert tokens(a_secret(accounts="*")).identify(f"Bearer {TOKEN}").may_use("any")
