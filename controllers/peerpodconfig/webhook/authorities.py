"""The Secret of the authorities: what stands in it, and in which phase a rotation is."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import msgspec

from controllers.peerpodconfig.webhook.secret_data import encoded, value_in
from framework.certificates.key_pair import KeyPair

PHASE_ANNOTATION = "kata.peerpods.io/webhook-ca-phase"
SINCE_ANNOTATION = "kata.peerpods.io/webhook-ca-phase-since"


class Phase(StrEnum):
    SETTLED = ""
    # The next authority is told to the API server; since then, once it has been.
    TRUSTING = "Trusting"
    # What the server shows was issued by the next authority; since then.
    ISSUED = "Issued"


class Authorities(msgspec.Struct, frozen=True):
    """Invariant: there is a successor exactly if the phase is not SETTLED.

    The key of `current` may be empty: it was lost, and all it can do is to be
    trusted until the successor takes over.
    """

    current: KeyPair
    successor: KeyPair | None = None
    phase: Phase = Phase.SETTLED
    since: datetime | None = None

    @property
    def bundle(self) -> bytes:
        return self.current.certificate + (b"" if self.successor is None else self.successor.certificate)

    def __repr__(self) -> str:
        # Keys are in here.
        return f"Authorities(phase={self.phase!r}, since={self.since})"


def authorities_in(secret: Mapping[str, Any]) -> Authorities:
    """What stands there, however little; whether it is of any use is for others to say."""
    current, successor = (KeyPair(value_in(secret, f"{name}.crt"), value_in(secret, f"{name}.key")) for name in _NAMES)
    if not successor.certificate:
        return Authorities(current)
    annotations = secret["metadata"].get("annotations") or {}
    is_issued = annotations.get(PHASE_ANNOTATION) == Phase.ISSUED
    since = _moment(annotations.get(SINCE_ANNOTATION, ""))
    return Authorities(current, successor, Phase.ISSUED if is_issued else Phase.TRUSTING, since)


_NAMES = ("ca", "next")


def secret_of(authorities: Authorities) -> dict[str, Any]:
    """The part of the Secret that says it."""
    pairs = {"ca": authorities.current, "next": authorities.successor}
    data = {
        f"{name}.{ending}": encoded(value)
        for name, pair in pairs.items()
        if pair is not None
        for ending, value in (("crt", pair.certificate), ("key", pair.key))
        if value
    }
    annotations = {PHASE_ANNOTATION: str(authorities.phase)} if authorities.phase else {}
    if authorities.since is not None:
        annotations[SINCE_ANNOTATION] = authorities.since.isoformat()
    return {"type": "Opaque", "data": data, "metadata": {"annotations": annotations} if annotations else {}}


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
