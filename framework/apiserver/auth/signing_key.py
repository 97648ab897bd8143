"""The key that signs service account tokens: JSON Web Tokens with ES256, by PyJWT."""

import base64
import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

from framework.loading import LOADING

_ALGORITHM = "ES256"


class BadSignature(Exception):
    """The token was not signed by this key; the text is what the real server says."""


class SigningKey:
    """A private key on the curve P-256, in PEM.

    PyJWT and cryptography take longer to import than the whole server to start, so they are imported at first use.
    """

    def __init__(self, load: Callable[[], bytes]) -> None:
        """*load* gives the PEM when the first token is signed or looked at."""
        self._load = load

    @classmethod
    def generate(cls) -> "SigningKey":
        return cls(new_pem)

    def sign(self, payload: bytes) -> str:
        with LOADING:
            from jwt.api_jws import PyJWS

        # Without "typ", as the real server has it.
        return PyJWS().encode(payload, self._private_key, algorithm=_ALGORITHM, headers={"kid": self.key_id, "typ": ""})

    def verify(self, token: str) -> bytes:
        """The payload of *token*; raises BadSignature."""
        with LOADING:
            from jwt.api_jws import PyJWS
            from jwt.exceptions import PyJWTError

        jws = PyJWS()
        try:
            if jws.get_unverified_header(token).get("kid", self.key_id) != self.key_id:
                raise BadSignature("invalid signature, no keys found")
            payload: bytes = jws.decode(token, self._private_key.public_key(), algorithms=[_ALGORITHM])
        except PyJWTError:
            raise BadSignature("go-jose/go-jose: error in cryptographic primitive") from None
        return payload

    @cached_property
    def key_id(self) -> str:
        with LOADING:
            from cryptography.hazmat.primitives import serialization

        public = self._private_key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return _base64url(hashlib.sha256(public).digest())

    @cached_property
    def _private_key(self) -> Any:
        with LOADING:
            from cryptography.hazmat.primitives import serialization

        return serialization.load_pem_private_key(self._load(), password=None)


def new_pem() -> bytes:
    with LOADING:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def unverified_payload(token: str) -> bytes | None:
    """What *token* claims, without proof; None if it is no JSON Web Token."""
    parts = token.split(".")
    if len(parts) != 3:  # noqa: PLR2004 - header, payload, signature
        return None
    try:
        return base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
    except ValueError:
        return None


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
