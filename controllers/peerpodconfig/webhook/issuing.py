"""Issues and reads the certificates of the webhook; loads `cryptography` when first asked."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from framework.certificates.key_pair import KeyPair
from framework.loading import LOADING

# Clients whose clocks are behind must not find a new certificate to be of the future.
_SKEW = timedelta(minutes=5)


class Facts(msgspec.Struct, frozen=True):
    begins_at: datetime
    ends_at: datetime
    hosts: frozenset[str]

    def is_valid_at(self, now: datetime) -> bool:
        return self.begins_at <= now < self.ends_at

    def has_left(self, part: float, now: datetime) -> bool:
        """Whether no more than *part* of its life is left; it began to live when it was issued."""
        return self.ends_at - now <= self.life * part

    def when_left(self, part: float) -> datetime:
        return self.ends_at - self.life * part

    @property
    def life(self) -> timedelta:
        return self.ends_at - self.begins_at - _SKEW


def new_authority(now: datetime, validity: timedelta) -> KeyPair:
    with LOADING:
        from framework.certificates import signing

    # Two of them stand in one bundle: a name of its own for each tells them apart.
    return signing.self_signed(f"peer-pods-webhook-ca-{now:%Y%m%dT%H%M%SZ}", (now - _SKEW, now + validity))


def new_leaf(authority: KeyPair, hosts: Sequence[str], now: datetime, validity: timedelta) -> KeyPair:
    """For a server; it ends with *authority* at the latest."""
    with LOADING:
        from framework.certificates import signing
        from framework.certificates.reading import facts_of

    end = min(now + validity, facts_of(authority.certificate).not_after)
    return signing.server(authority, hosts, (now - _SKEW, end))


def facts(certificate: bytes) -> Facts | None:
    """None if it cannot be read."""
    with LOADING:
        from framework.certificates.reading import facts_of

    try:
        found = facts_of(certificate)
    except ValueError:
        return None
    return Facts(found.not_before, found.not_after, found.hosts)


def fits(pair: KeyPair) -> bool:
    with LOADING:
        from framework.certificates.reading import is_pair

    return is_pair(pair)


def issued_by(certificate: bytes, authority: bytes) -> bool:
    with LOADING:
        from framework.certificates.reading import is_issued_by

    return is_issued_by(certificate, authority)


def spelling(host: str) -> str:
    """As certificates have it."""
    with LOADING:
        from framework.certificates.reading import spelled

    return spelled(host)
