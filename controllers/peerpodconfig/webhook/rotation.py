"""What authorities and certificate should be next. Decides from what is there and the time; remembers nothing.

An authority is replaced in phases, each of which is one write of its Secret:
its successor is made, and told to the API server; when that has been so for a
while, the server's certificate is issued by the successor; when servers have
had time to notice, the successor is all there is.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from controllers.peerpodconfig.webhook.authorities import Authorities, Phase
from controllers.peerpodconfig.webhook.issuing import facts, fits, issued_by, new_authority, new_leaf, spelling
from controllers.peerpodconfig.webhook.leaf import Leaf
from controllers.peerpods.options import PeerPodOptions
from framework.certificates.key_pair import KeyPair
from framework.errors import ConfigurationError

_LONGEST = timedelta(minutes=10)
_AUTHORITY_RENEWED_AT, _LEAF_RENEWED_AT = 1 / 4, 1 / 3
# The second is longer: servers read a file that a kubelet must have written first.
_PHASE_SECONDS = {Phase.TRUSTING: 60.0, Phase.ISSUED: 600.0}


class Rotation:
    def __init__(self, hosts: Sequence[str], options: PeerPodOptions) -> None:
        self._hosts = tuple(hosts)
        self._leaf_validity = timedelta(seconds=options.webhook_cert_validity_seconds)
        self._authority_validity = timedelta(seconds=options.webhook_ca_validity_seconds)
        chosen = options.webhook_rotation_phase_delay_seconds
        self._delays = {
            phase: timedelta(seconds=seconds if chosen is None else chosen) for phase, seconds in _PHASE_SECONDS.items()
        }
        if sum(self._delays.values(), timedelta()) >= self._authority_validity * _AUTHORITY_RENEWED_AT:
            raise ConfigurationError(
                "webhook-ca-validity is too short for webhook-rotation-phase-delay: both phases together must be "
                "shorter than a quarter of it, or a rotation would not end in time"
            )

    def authorities(self, found: Authorities | None, leaf: Leaf | None, now: datetime) -> Authorities:
        """*found* itself if nothing is due."""
        successor = None if found is None else found.successor
        if successor is not None and not _is_usable(successor, now):
            successor = None
        if found is None or not _is_usable(found.current, now):
            return self._healed(found, successor, leaf, now)
        if successor is not None:
            return self._promoted(found, successor, now)
        is_due = found.successor is not None or self._needs_successor(found.current, now)
        return Authorities(found.current, self._new_authority(now), Phase.TRUSTING) if is_due else found

    def leaf(self, found: Leaf | None, authorities: Authorities, now: datetime) -> Leaf:
        """*found* itself if it is as it should be."""
        issuer = self._issuer(authorities, now)
        # A key that is lost cannot issue what lasts longer.
        if found and self._is_of(found, issuer, now) and not (issuer.key and self._is_due(found, issuer, now)):
            return found
        if not issuer.key and authorities.successor is not None:
            issuer = authorities.successor
        return Leaf(new_leaf(issuer, self._hosts, now, self._leaf_validity), issuer.certificate)

    def issued(self, authorities: Authorities, leaf: Leaf, now: datetime) -> Authorities:
        """*authorities*, with a note if *leaf* is the first one of the successor."""
        if authorities.successor is None or leaf.issuer != authorities.successor.certificate:
            return authorities
        is_noted = authorities.phase == Phase.ISSUED and authorities.since is not None and authorities.since <= now
        return authorities if is_noted else msgspec.structs.replace(authorities, phase=Phase.ISSUED, since=now)

    def trusted(self, authorities: Authorities, *, since_before: bool, now: datetime) -> Authorities:
        """*authorities*, with a note since when the API server trusts both; *since_before*: before this look."""
        if authorities.phase != Phase.TRUSTING:
            return authorities
        is_noted = since_before and authorities.since is not None and authorities.since <= now
        return authorities if is_noted else msgspec.structs.replace(authorities, since=now)

    def next_look(self, authorities: Authorities, leaf: Leaf, now: datetime) -> datetime:
        """When time alone makes something due."""
        moments = [now + _LONGEST]
        if authorities.since is not None:
            moments.append(authorities.since + self._delays[authorities.phase])
        if authorities.successor is None and (authority := facts(authorities.current.certificate)):
            moments.append(authority.when_left(_AUTHORITY_RENEWED_AT))
        if shown := facts(leaf.pair.certificate):
            moments.append(shown.when_left(_LEAF_RENEWED_AT))
        # What was due before and is still so cannot be done now.
        return min(moment for moment in moments if moment > now)

    def _promoted(self, found: Authorities, successor: KeyPair, now: datetime) -> Authorities:
        is_over = found.phase == Phase.ISSUED and self._is_over(found, now)
        return Authorities(successor) if is_over else found

    def _healed(
        self, found: Authorities | None, successor: KeyPair | None, leaf: Leaf | None, now: datetime
    ) -> Authorities:
        anchor = self._anchor(found, successor, leaf, now)
        if not anchor:
            return Authorities(successor or self._new_authority(now))
        without_key = KeyPair(anchor, b"")
        if found is not None and successor is not None and found.current == without_key:
            return self._promoted(found, successor, now)
        return Authorities(without_key, successor or self._new_authority(now), Phase.TRUSTING)

    def _anchor(self, found: Authorities | None, successor: KeyPair | None, leaf: Leaf | None, now: datetime) -> bytes:
        """An authority that cannot issue any more, but vouches for what servers show now."""
        is_of_successor = leaf is not None and successor is not None and leaf.issuer == successor.certificate
        if leaf is not None and not is_of_successor and _is_vouched_for(leaf, now):
            return leaf.issuer
        return found.current.certificate if found is not None and _is_valid(found.current.certificate, now) else b""

    def _issuer(self, authorities: Authorities, now: datetime) -> KeyPair:
        if authorities.successor is None:
            return authorities.current
        is_trusted = authorities.phase == Phase.ISSUED or self._is_over(authorities, now)
        return authorities.successor if is_trusted else authorities.current

    def _is_of(self, leaf: Leaf, issuer: KeyPair, now: datetime) -> bool:
        shown = facts(leaf.pair.certificate)
        if shown is None or not shown.is_valid_at(now) or leaf.issuer != issuer.certificate:
            return False
        if shown.hosts != frozenset(spelling(host) for host in self._hosts) or not fits(leaf.pair):
            return False
        return issued_by(leaf.pair.certificate, issuer.certificate)

    def _is_due(self, leaf: Leaf, issuer: KeyPair, now: datetime) -> bool:
        shown, authority = facts(leaf.pair.certificate), facts(issuer.certificate)
        if shown is None or authority is None:
            return True
        # One that ends with its authority cannot be replaced by one that lasts longer.
        return shown.has_left(_LEAF_RENEWED_AT, now) and shown.ends_at < authority.ends_at

    def _needs_successor(self, authority: KeyPair, now: datetime) -> bool:
        found = facts(authority.certificate)
        return found is None or found.has_left(_AUTHORITY_RENEWED_AT, now)

    def _is_over(self, authorities: Authorities, now: datetime) -> bool:
        return authorities.since is not None and now - authorities.since >= self._delays[authorities.phase]

    def _new_authority(self, now: datetime) -> KeyPair:
        return new_authority(now, self._authority_validity)


def _is_usable(pair: KeyPair, now: datetime) -> bool:
    return _is_valid(pair.certificate, now) and fits(pair)


def _is_vouched_for(leaf: Leaf, now: datetime) -> bool:
    are_valid = _is_valid(leaf.issuer, now) and _is_valid(leaf.pair.certificate, now)
    return are_valid and fits(leaf.pair) and issued_by(leaf.pair.certificate, leaf.issuer)


def _is_valid(certificate: bytes, now: datetime) -> bool:
    found = facts(certificate)
    return found is not None and found.is_valid_at(now)
