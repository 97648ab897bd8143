"""When certificates are replaced, in virtual time."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from framework.certificates.key_pair import KeyPair
from framework.certificates.material import Material, material_in, secret_data
from framework.certificates.options import CertificateOptions
from framework.certificates.reading import facts_of, is_issued_by
from framework.certificates.rotation import Rotation
from framework.errors import ConfigurationError
from framework.testing.virtual_time import VirtualTime

HOSTS = ("shop.default.svc", "127.0.0.1", "::1")
OPTIONS = CertificateOptions(
    authority_lifetime=timedelta(days=100),
    authority_renewed_before=timedelta(days=20),
    lifetime=timedelta(days=30),
    renewed_before=timedelta(days=10),
    trust_seconds=60,
    overlap=timedelta(days=2),
)


class Subject:
    def __init__(self) -> None:
        self.time = VirtualTime()
        self.rotation = Rotation(HOSTS, OPTIONS, clock=self.time.clock)
        self.material = self.rotation.fresh()

    def after(self, *, trusted_seconds: float | None = None, **duration: float) -> Material:
        self.time.advance(timedelta(**duration).total_seconds())
        self.material = self.rotation.next(self.material, trusted_seconds=trusted_seconds)
        return self.material


@pytest.fixture
def subject() -> Subject:
    return Subject()


def test_the_first_certificate_is_for_all_hosts_and_of_the_authority(subject: Subject) -> None:
    facts = facts_of(subject.material.serving.certificate)

    assert facts.hosts == set(HOSTS)
    assert facts.not_after - subject.time.clock.now() == timedelta(days=30)
    assert is_issued_by(subject.material.serving.certificate, subject.material.authority.certificate)
    assert subject.material.bundle == subject.material.authority.certificate


def test_nothing_changes_until_something_is_due(subject: Subject) -> None:
    first = subject.material

    assert subject.after(days=19, hours=23) is first


def test_a_certificate_is_renewed_before_its_end_by_the_same_authority(subject: Subject) -> None:
    first = subject.material

    second = subject.after(days=20, seconds=1)

    assert second.serving != first.serving
    assert second.bundle == first.bundle


def test_another_host_makes_another_certificate(subject: Subject) -> None:
    other = Rotation((*HOSTS, "more.example.com"), OPTIONS, clock=subject.time.clock)

    changed = other.next(subject.material, trusted_seconds=None)

    assert "more.example.com" in facts_of(changed.serving.certificate).hosts


def test_replicas_that_want_different_hosts_do_not_undo_each_other(subject: Subject) -> None:
    other = Rotation(("other.example.com",), OPTIONS, clock=subject.time.clock)

    both = other.next(subject.material, trusted_seconds=None)

    assert facts_of(both.serving.certificate).hosts == {*HOSTS, "other.example.com"}
    assert subject.rotation.next(both, trusted_seconds=None) is both


def test_two_successions_in_a_row_keep_all_that_may_still_be_shown(subject: Subject) -> None:
    first = subject.material.authority.certificate
    subject.material = subject.rotation.restarted(subject.material)
    second = subject.after(seconds=60, trusted_seconds=60).authority.certificate
    subject.material = subject.rotation.restarted(subject.material)

    third = subject.after(seconds=60, trusted_seconds=60)

    assert third.bundle == first + second + third.authority.certificate


@pytest.mark.parametrize(
    "changes",
    [
        {"renewed_before": timedelta(days=30)},
        {"authority_renewed_before": timedelta(days=100)},
        {"trust_seconds": 20 * 86400.0},
    ],
)
def test_durations_that_cannot_work_are_refused(subject: Subject, changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Rotation(HOSTS, msgspec.structs.replace(OPTIONS, **changes), clock=subject.time.clock)


def test_a_key_that_does_not_fit_makes_another_certificate(subject: Subject) -> None:
    mixed = KeyPair(subject.material.serving.certificate, subject.material.authority.key)

    changed = subject.rotation.next(msgspec.structs.replace(subject.material, serving=mixed), trusted_seconds=None)

    assert changed.serving.key != mixed.key


def test_the_successor_is_trusted_before_anything_it_issued_is_shown(subject: Subject) -> None:
    first = subject.material

    announced = subject.after(days=80, seconds=1)

    assert announced.successor is not None
    assert announced.authority == first.authority
    assert announced.bundle == first.authority.certificate + announced.successor.certificate
    assert is_issued_by(announced.serving.certificate, first.authority.certificate)


@pytest.mark.parametrize("trusted_seconds", [None, 0.0, 59.9])
def test_the_successor_waits_until_everybody_was_told_for_long_enough(
    subject: Subject, trusted_seconds: float | None
) -> None:
    announced = subject.after(days=80, seconds=1)

    assert subject.after(seconds=30, trusted_seconds=trusted_seconds) is announced


def test_the_successor_takes_over_and_the_one_before_is_trusted_for_the_overlap(subject: Subject) -> None:
    announced = subject.after(days=80, seconds=1)

    taken_over = subject.after(seconds=60, trusted_seconds=60)

    assert announced.successor is not None
    assert taken_over.authority == announced.successor
    assert taken_over.successor is None
    assert is_issued_by(taken_over.serving.certificate, announced.successor.certificate)
    assert taken_over.bundle == announced.bundle
    assert announced.authority.key not in b"".join(str(value).encode() for value in secret_data(taken_over).values())
    assert subject.after(days=1, hours=23) is taken_over
    assert subject.after(hours=1).bundle == announced.successor.certificate


def test_an_authority_that_has_ended_is_succeeded_whoever_was_told(subject: Subject) -> None:
    subject.after(days=81)

    taken_over = subject.after(days=20, trusted_seconds=None)

    assert is_issued_by(taken_over.serving.certificate, taken_over.authority.certificate)
    assert facts_of(taken_over.authority.certificate).not_after > subject.time.clock.now()


def test_nothing_outlives_its_authority(subject: Subject) -> None:
    ends = facts_of(subject.material.authority.certificate).not_after
    for _ in range(10):
        material = subject.after(days=9, trusted_seconds=None)

        assert facts_of(material.serving.certificate).not_after <= ends
    assert subject.after(days=9) is material, "the last one ends with its authority, and cannot be replaced"


def test_what_has_ended_altogether_is_of_no_use(subject: Subject) -> None:
    assert subject.rotation.is_usable(subject.material)

    subject.time.advance(timedelta(days=101).total_seconds())

    assert not subject.rotation.is_usable(subject.material)


def test_what_is_of_the_future_is_of_no_use(subject: Subject) -> None:
    later = VirtualTime(subject.time.clock.now() + timedelta(days=3650))
    material = Rotation(HOSTS, OPTIONS, clock=later.clock).fresh()

    mixed = msgspec.structs.replace(subject.material, successor=material.authority)

    assert not subject.rotation.is_usable(material)
    assert not subject.rotation.is_usable(mixed)


def test_material_survives_the_secret(subject: Subject) -> None:
    for material in (subject.material, subject.after(days=81), subject.after(seconds=60, trusted_seconds=60)):
        data = {name: value for name, value in secret_data(material).items() if value is not None}

        assert material_in(data) == material


@pytest.mark.parametrize("broken", [{}, {"ca.crt": "AAAA"}, {"ca.crt": "!"}])
def test_what_is_not_all_there_is_no_material(broken: dict[str, str]) -> None:
    assert material_in(broken) is None


def test_a_key_is_in_no_text(subject: Subject) -> None:
    text = f"{subject.material!r} {subject.material} {subject.material.serving!r}"

    assert "PRIVATE" not in text
