"""The token that leads from one page of a list to the next."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.spelling import kind_of
from framework.apiserver.status import bad_request
from framework.errors import ApiError, BadRequest
from framework.loading import LOADING

_VERSION = "meta.k8s.io/v1"
# A token whose snapshot is gone goes on with what is there now.
LATEST = -1
_BASE64 = re.compile(r"[A-Za-z0-9_-]*")
_GO_TYPES = {"v": (str, "string"), "rv": (int, "int64"), "start": (str, "string")}


class _Token(msgspec.Struct, frozen=True):
    v: str = ""
    rv: int = 0
    start: str = ""


def encode_continue(revision: int, last: Key, *, is_namespaced_list: bool) -> str:
    """Go on behind *last*, at *revision*."""
    start = last.name if is_namespaced_list else str(last)
    raw = msgspec.json.encode(_Token(_VERSION, revision, start + "\0"))
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode_continue(token: str, namespace: str, *, is_namespaced: bool) -> tuple[int, Key]:
    """The revision, and the last key that was shown."""
    decoded = _token(_json_of(_bytes_of(token)))
    if decoded.v != _VERSION:
        raise _bad(f"server does not recognize this encoded version {decoded.v}")
    if decoded.rv == 0:
        raise _bad(f"incorrect encoded start resourceVersion (version {_VERSION})")
    if not decoded.start:
        raise _bad(f"encoded start key empty (version {_VERSION})")
    start = decoded.start.rstrip("\0")
    if ".." in start.split("/"):
        raise _bad(decoded.start)
    if namespace or not is_namespaced:
        return decoded.rv, Key(namespace, start)
    return decoded.rv, Key.parse(start)


def _bytes_of(token: str) -> bytes:
    legal = _BASE64.match(token)
    assert legal is not None  # noqa: S101 - it matches the empty text too
    if legal.end() < len(token):
        raise _bad(f"illegal base64 data at input byte {legal.end()}")
    try:
        return urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except Base64Error:
        raise _bad(f"illegal base64 data at input byte {len(token) - 1}") from None


def _json_of(raw: bytes) -> Any:
    # Loaded by the first token that somebody brings back, or by the first write.
    with LOADING:
        from framework.apiserver.patch import decode_json

    try:
        return decode_json(raw)
    except BadRequest as error:
        raise _bad(error.status.message) from None


def _token(content: Any) -> _Token:
    if content is None:
        return _Token()
    if not isinstance(content, dict):
        raise _bad(f"json: cannot unmarshal {kind_of(content)} into Go value of type storage.continueToken")
    for name, (kind, go_type) in _GO_TYPES.items():
        value = content.get(name)
        if value is not None and type(value) is not kind:
            why = f"json: cannot unmarshal {kind_of(value)} into Go struct field continueToken.{name} of type {go_type}"
            raise _bad(why)
    return _Token(**{name: content[name] for name in _GO_TYPES if content.get(name) is not None})


def _bad(why: str) -> ApiError:
    return bad_request(f"invalid continue token: continue key is not valid: {why}")
