"""All certificates and keys of one service, as they stand in its Secret."""

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from framework.certificates.key_pair import KeyPair

_NAMES = ("ca.crt", "ca.key", "tls.crt", "tls.key", "next-ca.crt", "next-ca.key", "previous-ca.crt", "previous-until")


class Material(msgspec.Struct, frozen=True):
    """The authority that issues and what it has issued; beside it, during a rotation, its successor or its predecessor.

    `previous` is a certificate without its key: nothing is issued by it any more.
    """

    authority: KeyPair
    serving: KeyPair
    successor: KeyPair | None = None
    previous: bytes = b""
    previous_until: datetime | None = None

    @property
    def bundle(self) -> bytes:
        """All authorities that may have issued what a replica shows now, or will show next."""
        successor = b"" if self.successor is None else self.successor.certificate
        return self.previous + self.authority.certificate + successor

    def __repr__(self) -> str:
        # Keys are in here.
        return "Material(...)"


def secret_data(material: Material) -> dict[str, str | None]:
    """The `data` of the Secret; what is None is to be removed."""
    until = material.previous_until
    values = dict.fromkeys(_NAMES, b"") | {
        "ca.crt": material.authority.certificate,
        "ca.key": material.authority.key,
        "tls.crt": material.serving.certificate,
        "tls.key": material.serving.key,
        "previous-ca.crt": material.previous,
        "previous-until": b"" if until is None else until.isoformat().encode(),
    }
    if material.successor is not None:
        values |= {"next-ca.crt": material.successor.certificate, "next-ca.key": material.successor.key}
    return {name: base64.b64encode(value).decode() if value else None for name, value in values.items()}


def material_in(data: Mapping[str, str]) -> Material | None:
    """What stands in a Secret; None if that is not all there."""
    try:
        values = {name: base64.b64decode(data.get(name) or "", validate=True) for name in _NAMES}
    except binascii.Error:
        return None
    if not all(values[name] for name in ("ca.crt", "ca.key", "tls.crt", "tls.key")):
        return None
    successor = KeyPair(values["next-ca.crt"], values["next-ca.key"])
    return Material(
        KeyPair(values["ca.crt"], values["ca.key"]),
        KeyPair(values["tls.crt"], values["tls.key"]),
        successor if successor.certificate and successor.key else None,
        values["previous-ca.crt"],
        _moment(values["previous-until"]),
    )


def _moment(text: bytes) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text.decode())
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
