"""What the certificates should be next. Decides from what is there and the time; remembers nothing.

An authority is replaced in three steps, each of which is one change of the
Secret: its successor is made (and from now on told to everybody); when all
have been told for long enough the successor takes over and issues a new
serving certificate; when replicas and API servers have had time to notice,
the one before is forgotten. So at any moment, and after a crash at any point,
everything that a replica may show was issued by an authority in the bundle.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from framework.certificates.authority import Authority
from framework.certificates.key_pair import KeyPair
from framework.certificates.material import Material
from framework.certificates.options import CertificateOptions, check_options
from framework.clock import Clock
from framework.loading import LOADING


class Rotation:
    def __init__(self, hosts: Sequence[str], options: CertificateOptions, *, clock: Clock) -> None:
        check_options(options)
        self._hosts = tuple(hosts)
        self._options = options
        self._clock = clock

    def fresh(self) -> Material:
        """For a service that has none, or none of any use."""
        authority = self._new_authority()
        return Material(authority, self._issued(authority))

    def restarted(self, known: Material) -> Material:
        """For a Secret that was lost while *known* is in use: the same, and everything anew as soon as can be."""
        return msgspec.structs.replace(known, successor=known.successor or self._new_authority())

    def is_usable(self, material: Material) -> bool:
        """Whether it can be built upon. What a clock gone wrong has made for the future cannot."""
        with LOADING:
            from framework.certificates.reading import facts_of, is_pair

        pairs = [pair for pair in (material.authority, material.successor) if pair is not None]
        if not all(is_pair(pair) for pair in pairs) or self._has_ended(pairs[-1].certificate):
            return False
        return all(facts_of(pair.certificate).not_before <= self._clock.now() for pair in pairs)

    def next(self, material: Material, *, trusted_seconds: float | None) -> Material:
        """*material* itself if nothing is due.

        *trusted_seconds*: for how long everybody who must has been known to
        trust all of its bundle; None if that is not known.
        """
        return self._with_serving(self._succeeded(self._without_previous(material), trusted_seconds))

    def _succeeded(self, material: Material, trusted_seconds: float | None) -> Material:
        options = self._options
        if material.successor is None:
            is_due = self._rest(material.authority.certificate) <= options.authority_renewed_before
            return msgspec.structs.replace(material, successor=self._new_authority()) if is_due else material
        is_trusted = trusted_seconds is not None and trusted_seconds >= options.trust_seconds
        # After its end there is nothing to lose.
        if not is_trusted and not self._has_ended(material.authority.certificate):
            return material
        return Material(
            authority=material.successor,
            serving=self._issued(material.successor),
            previous=material.previous + material.authority.certificate,
            previous_until=self._clock.now() + options.overlap,
        )

    def _without_previous(self, material: Material) -> Material:
        until = material.previous_until
        if not material.previous or (until is not None and self._clock.now() < until):
            return material
        return msgspec.structs.replace(material, previous=b"", previous_until=None)

    def _with_serving(self, material: Material) -> Material:
        with LOADING:
            from framework.certificates.reading import facts_of, is_issued_by, is_pair, spelled

        serving = material.serving
        if not is_pair(serving) or not is_issued_by(serving.certificate, material.authority.certificate):
            return self._reissued(material)
        facts = facts_of(serving.certificate)
        if facts.not_before > self._clock.now() or self._is_due(
            facts.not_after, self._end(material.authority.certificate)
        ):
            return self._reissued(material)
        if {spelled(host) for host in self._hosts} <= facts.hosts:
            return material
        # Beside ours also those that are in it: a replica with other options may want them, and neither must undo what
        # the other one did.
        return self._reissued(material, sorted(facts.hosts.difference(self._hosts)))

    def _is_due(self, end: datetime, authority_end: datetime) -> bool:
        # One that ends with its authority cannot be replaced by one that lasts longer.
        return end - self._clock.now() <= self._options.renewed_before and end < authority_end

    def _reissued(self, material: Material, more_hosts: Sequence[str] = ()) -> Material:
        return msgspec.structs.replace(material, serving=self._issued(material.authority, more_hosts))

    def _new_authority(self) -> KeyPair:
        # Two of them stand in one bundle: a name of its own for each tells them apart.
        name = f"windlass-webhooks-{self._clock.now():%Y%m%dT%H%M%SZ}"
        return Authority.create(name, clock=self._clock, lifetime=self._options.authority_lifetime).pair

    def _issued(self, authority: KeyPair, more_hosts: Sequence[str] = ()) -> KeyPair:
        # Nothing outlives its authority.
        lifetime = min(self._options.lifetime, self._rest(authority.certificate))
        return Authority(authority, clock=self._clock).issue_server((*self._hosts, *more_hosts), lifetime)

    def _has_ended(self, certificate: bytes) -> bool:
        return self._rest(certificate) <= timedelta(0)

    def _rest(self, certificate: bytes) -> timedelta:
        return self._end(certificate) - self._clock.now()

    def _end(self, certificate: bytes) -> datetime:
        with LOADING:
            from framework.certificates.reading import facts_of

        return facts_of(certificate).not_after
