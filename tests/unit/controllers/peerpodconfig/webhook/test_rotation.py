"""When the webhook's certificates are replaced, in virtual time."""

from datetime import datetime, timedelta

import msgspec
import pytest

from controllers.peerpodconfig.webhook.authorities import Authorities, Phase, authorities_in, secret_of
from controllers.peerpodconfig.webhook.issuing import Facts, facts, fits, issued_by
from controllers.peerpodconfig.webhook.leaf import Leaf
from controllers.peerpodconfig.webhook.rotation import Rotation
from controllers.peerpods.options import PeerPodOptions
from framework.certificates.key_pair import KeyPair
from framework.errors import ConfigurationError
from framework.testing.virtual_time import VirtualTime

HOSTS = ("svc", "svc.ns.svc", "127.0.0.1")
DAY = 86_400.0
MINUTE = timedelta(minutes=1)


class Subject:
    """Both Secrets, looked after at chosen moments."""

    def __init__(self, options: PeerPodOptions | None = None) -> None:
        self.time = VirtualTime()
        self.options = options or PeerPodOptions()
        self.hosts: tuple[str, ...] = HOSTS
        self.authorities: Authorities | None = None
        self.leaf: Leaf | None = None
        self.look()

    @property
    def now(self) -> datetime:
        return self.time.clock.now()

    @property
    def rotation(self) -> Rotation:
        return Rotation(self.hosts, self.options)

    def look(self, *, told: bool = True, trusted_before: bool = True) -> Authorities:
        rotation = self.rotation
        authorities = rotation.authorities(self.authorities, self.leaf, self.now)
        self.leaf = rotation.leaf(self.leaf, authorities, self.now)
        self.authorities = rotation.issued(authorities, self.leaf, self.now)
        if told:
            self.authorities = rotation.trusted(self.authorities, since_before=trusted_before, now=self.now)
        assert fits(self.leaf.pair)
        assert issued_by(self.leaf.pair.certificate, self.leaf.issuer)
        assert self.leaf.issuer in self.authorities.bundle
        assert self.shown.ends_at <= _facts(self.leaf.issuer).ends_at
        return self.authorities

    def after(self, duration: timedelta, *, told: bool = True, trusted_before: bool = True) -> Authorities:
        self.time.advance(duration.total_seconds())
        return self.look(told=told, trusted_before=trusted_before)

    @property
    def shown(self) -> Facts:
        assert self.leaf is not None
        return _facts(self.leaf.pair.certificate)

    @property
    def current(self) -> Facts:
        assert self.authorities is not None
        return _facts(self.authorities.current.certificate)


def _facts(certificate: bytes) -> Facts:
    found = facts(certificate)
    assert found is not None
    return found


@pytest.fixture
def subject() -> Subject:
    return Subject()


def test_the_first_pair_has_its_validity_and_names(subject: Subject) -> None:
    assert subject.shown.hosts == set(HOSTS)
    assert subject.shown.begins_at == subject.now - timedelta(minutes=5)
    assert subject.shown.ends_at == subject.now + timedelta(days=90)
    assert subject.current.ends_at == subject.now + timedelta(days=730)
    assert subject.authorities is not None
    assert subject.authorities.phase == Phase.SETTLED


def test_a_leaf_is_renewed_when_a_third_of_its_life_is_left(subject: Subject) -> None:
    first = subject.leaf

    subject.after(timedelta(days=60) - MINUTE)
    assert subject.leaf is first
    subject.after(MINUTE)

    assert subject.leaf is not first
    assert subject.shown.ends_at == subject.now + timedelta(days=90)


def test_names_that_are_others_are_a_reason_for_another_leaf(subject: Subject) -> None:
    first = subject.leaf
    subject.hosts = (*HOSTS, "::1")

    subject.look()

    assert subject.leaf is not first
    assert subject.shown.hosts == {*HOSTS, "::1"}


@pytest.mark.parametrize("broken", [None, Leaf(KeyPair(b"", b""), b""), Leaf(KeyPair(b"x", b"y"), b"z")])
def test_a_leaf_that_is_lost_is_issued_again_by_the_same_authority(subject: Subject, broken: Leaf | None) -> None:
    authorities = subject.authorities
    subject.leaf = broken

    assert subject.look() is authorities


def test_a_leaf_whose_key_is_anothers_is_replaced(subject: Subject) -> None:
    assert subject.leaf is not None
    strange = Subject().leaf
    assert strange is not None
    subject.leaf = msgspec.structs.replace(subject.leaf, pair=KeyPair(subject.leaf.pair.certificate, strange.pair.key))

    subject.look()

    assert fits(subject.leaf.pair)


def test_an_authority_is_replaced_in_three_phases_when_a_quarter_of_its_life_is_left(subject: Subject) -> None:
    first = subject.authorities
    assert first is not None
    assert subject.after(timedelta(days=547.5) - MINUTE).successor is None

    begun = subject.after(MINUTE)
    assert begun.phase == Phase.TRUSTING
    assert begun.successor is not None
    assert begun.bundle == first.current.certificate + begun.successor.certificate
    assert _issuer(subject) == first.current.certificate

    assert subject.after(timedelta(seconds=59)).phase == Phase.TRUSTING
    assert _issuer(subject) == first.current.certificate
    assert subject.after(timedelta(seconds=1)).phase == Phase.ISSUED
    assert _issuer(subject) == begun.successor.certificate

    assert subject.after(timedelta(seconds=599)).bundle == begun.bundle
    ended = subject.after(timedelta(seconds=1))
    assert ended == Authorities(begun.successor)
    assert _issuer(subject) == begun.successor.certificate


def test_nothing_is_issued_by_an_authority_that_the_api_server_was_not_told_of(subject: Subject) -> None:
    assert subject.authorities is not None
    old = subject.authorities.current.certificate
    subject.after(timedelta(days=548), told=False)

    subject.after(timedelta(days=1), told=False)
    assert _issuer(subject) == old
    subject.after(timedelta(seconds=0))
    subject.after(timedelta(seconds=59))

    assert _issuer(subject) == old


def test_a_bundle_that_somebody_took_away_begins_the_time_again(subject: Subject) -> None:
    assert subject.authorities is not None
    old = subject.authorities.current.certificate
    subject.after(timedelta(days=548))
    subject.after(timedelta(seconds=50), trusted_before=False)

    subject.after(timedelta(seconds=50))
    assert _issuer(subject) == old
    subject.after(timedelta(seconds=10))

    assert _issuer(subject) != old


def test_a_leaf_never_outlives_its_authority() -> None:
    options = PeerPodOptions(webhook_cert_validity_seconds=400 * DAY, webhook_ca_validity_seconds=100 * DAY)
    subject = Subject(options)

    leaves = set()

    for _ in range(300):
        # Each look checks the claim.
        subject.after(timedelta(days=1))
        assert subject.leaf is not None
        leaves.add(subject.leaf.pair.certificate)

    # One of each authority: another one of the same could not last longer.
    assert len(leaves) == 4


def test_a_settled_pair_is_left_alone_however_often_one_looks(subject: Subject) -> None:
    before = (subject.authorities, subject.leaf)

    for _ in range(50):
        subject.after(timedelta(hours=20))
        assert (subject.authorities, subject.leaf) == before


@pytest.mark.parametrize("lost", [None, Authorities(KeyPair(b"", b"")), Authorities(KeyPair(b"x", b"y"))])
def test_an_authority_that_is_lost_stays_trusted_until_another_one_is(
    subject: Subject, lost: Authorities | None
) -> None:
    assert subject.leaf is not None
    shown, old = subject.leaf, subject.leaf.issuer
    subject.authorities = lost

    healed = subject.look()
    assert subject.leaf == shown
    assert healed.phase == Phase.TRUSTING
    assert healed.current == KeyPair(old, b"")

    subject.after(timedelta(seconds=60))
    assert _issuer(subject) != old
    assert subject.authorities is not None
    assert old in subject.authorities.bundle
    assert subject.after(timedelta(seconds=600)).phase == Phase.SETTLED
    assert subject.authorities.current.key


def test_without_both_all_is_made_anew(subject: Subject) -> None:
    old = subject.authorities
    subject.authorities = subject.leaf = None

    assert subject.look().phase == Phase.SETTLED
    assert subject.authorities != old


def test_a_leaf_that_is_lost_with_the_key_of_its_authority_is_issued_by_the_next_one(subject: Subject) -> None:
    subject.authorities = None
    subject.look()
    subject.leaf = None

    healed = subject.look()

    assert healed.phase == Phase.ISSUED
    assert healed.successor is not None
    assert _issuer(subject) == healed.successor.certificate


def test_a_successor_that_is_corrupt_is_replaced(subject: Subject) -> None:
    subject.after(timedelta(days=548))
    assert subject.authorities is not None
    corrupt = msgspec.structs.replace(subject.authorities, successor=KeyPair(b"x", b"y"))
    subject.authorities = corrupt

    healed = subject.look()

    assert healed.successor is not None
    assert fits(healed.successor)
    assert healed.phase == Phase.TRUSTING


def test_after_years_without_anybody_looking_all_is_made_anew(subject: Subject) -> None:
    assert subject.after(timedelta(days=800)).phase == Phase.SETTLED
    assert subject.current.ends_at == subject.now + timedelta(days=730)


def test_an_authority_that_ended_in_the_middle_of_a_rotation_is_followed_at_once(subject: Subject) -> None:
    begun = subject.after(timedelta(days=600))

    ended = subject.after(timedelta(days=131), told=False)

    assert begun.successor is not None
    assert ended == Authorities(begun.successor)


def test_an_authority_of_the_future_is_of_no_use(subject: Subject) -> None:
    late = Subject()
    late.time.advance(10 * DAY)
    late.authorities = late.leaf = None
    late.look()
    subject.authorities, subject.leaf = late.authorities, late.leaf

    subject.look()

    assert subject.current.begins_at <= subject.now


def test_the_next_look_is_when_something_is_due(subject: Subject) -> None:
    assert subject.authorities is not None
    assert subject.leaf is not None
    assert subject.rotation.next_look(subject.authorities, subject.leaf, subject.now) == subject.now + 10 * MINUTE

    begun = subject.after(timedelta(days=548))

    assert subject.rotation.next_look(begun, subject.leaf, subject.now) == subject.now + MINUTE


def test_phases_that_do_not_end_in_time_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="webhook-ca-validity"):
        Rotation(HOSTS, PeerPodOptions(webhook_ca_validity_seconds=60.0))
    Rotation(HOSTS, PeerPodOptions(webhook_ca_validity_seconds=60.0, webhook_rotation_phase_delay_seconds=1.0))


@pytest.mark.parametrize("annotations", [{}, {"kata.peerpods.io/webhook-ca-phase": "Odd"}, None])
def test_a_phase_that_cannot_be_read_begins_with_trust_again(
    subject: Subject, annotations: dict[str, str] | None
) -> None:
    begun = subject.after(timedelta(days=548))
    secret = secret_of(begun)
    assert authorities_in(secret) == begun

    found = authorities_in({**secret, "metadata": {"annotations": annotations}})

    assert (found.phase, found.since) == (Phase.TRUSTING, None)
    assert found.bundle == begun.bundle


def _issuer(subject: Subject) -> bytes:
    assert subject.leaf is not None
    return subject.leaf.issuer
