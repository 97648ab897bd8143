"""The certificate that is shown."""

import ssl
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from framework.certificates.authority import Authority
from framework.certificates.key_pair import KeyPair
from framework.certificates.metrics import CertificateMetrics
from framework.certificates.serving import ServingCertificate
from framework.certificates.watcher import FolderWatcher
from framework.http.tls import bare_context
from framework.testing.virtual_time import VirtualTime


class Subject:
    def __init__(self, folder: Path, client_ca_file: Path | None = None) -> None:
        self.time = VirtualTime()
        self.folder = folder
        self.authority = Authority.create(clock=self.time.clock)
        self.registry = CollectorRegistry()
        self.serving = ServingCertificate(
            bare_context,
            clock=self.time.clock,
            metrics=CertificateMetrics(self.registry),
            client_ca_file=client_ca_file,
        )
        self.watcher = FolderWatcher(folder, self.serving, runtime=self.time.runtime, poll_seconds=10)

    def issued(self, days: int = 10) -> KeyPair:
        return self.authority.issue_server(["localhost"], timedelta(days=days))

    def write(self, pair: KeyPair) -> None:
        (self.folder / "tls.crt").write_bytes(pair.certificate)
        (self.folder / "tls.key").write_bytes(pair.key)

    def sample(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(name, labels)

    @property
    def counts(self) -> tuple[float | None, float | None]:
        return (
            self.sample("certwatcher_read_certificate_total"),
            self.sample("certwatcher_read_certificate_errors_total"),
        )


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    return Subject(tmp_path)


def test_without_a_certificate_there_is_a_problem_and_no_context(subject: Subject) -> None:
    assert subject.serving.problem == "there is no certificate yet"
    assert subject.serving.context() is None


def test_an_offered_pair_is_shown_with_its_end(subject: Subject) -> None:
    assert subject.serving.offer(subject.issued(days=10))

    assert subject.serving.problem is None
    end = subject.sample("windlass_certificate_expiry_timestamp_seconds", certificate="serving")
    assert end == (subject.time.clock.now() + timedelta(days=10)).timestamp()


def test_the_context_changes_only_with_the_pair(subject: Subject) -> None:
    pair = subject.issued()
    subject.serving.offer(pair)
    first = subject.serving.context()

    subject.serving.offer(pair)
    again = subject.serving.context()
    subject.serving.offer(subject.issued())

    assert again is first
    assert subject.serving.context() is not first


@pytest.mark.parametrize("broken", ["mixed", "empty", "garbage"])
def test_the_last_good_pair_stays_when_a_bad_one_is_offered(subject: Subject, broken: str) -> None:
    good, other = subject.issued(), subject.issued()
    subject.serving.offer(good)
    shown = subject.serving.context()
    offered = {
        "mixed": KeyPair(other.certificate, good.key),
        "empty": KeyPair(b"", b""),
        "garbage": KeyPair(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", other.key),
    }[broken]

    assert not subject.serving.offer(offered)

    assert subject.serving.context() is shown
    assert subject.serving.problem is None
    assert subject.counts == (2.0, 1.0)


def test_a_certificate_that_has_ended_is_a_problem(subject: Subject) -> None:
    subject.serving.offer(subject.issued(days=1))

    subject.time.advance(timedelta(days=1).total_seconds())

    assert subject.serving.problem == "the certificate ended at 2026-01-02T00:00:00Z"


def test_clients_need_a_certificate_where_an_authority_is_named(tmp_path: Path) -> None:
    file = tmp_path / "client-ca.crt"
    subject = Subject(tmp_path, client_ca_file=file)
    assert not subject.serving.offer(subject.issued()), "without the file nobody could be checked"

    file.write_bytes(subject.authority.certificate)
    assert subject.serving.offer(subject.issued())

    context = subject.serving.context()
    assert context is not None
    assert context.verify_mode is ssl.CERT_REQUIRED


def test_at_least_tls_1_2(subject: Subject) -> None:
    subject.serving.offer(subject.issued())

    context = subject.serving.context()

    assert context is not None
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2


def test_files_are_followed(subject: Subject) -> None:
    subject.write(subject.issued())
    subject.watcher.start()
    first = subject.serving.context()

    subject.write(subject.issued())
    assert subject.serving.context() is first
    subject.time.advance(10)

    assert subject.serving.context() not in {None, first}
    subject.watcher.stop()


def test_files_that_are_exchanged_one_after_the_other_are_taken_when_both_are_there(subject: Subject) -> None:
    subject.write(subject.issued())
    subject.watcher.start()
    first, other = subject.serving.context(), subject.issued()

    (subject.folder / "tls.crt").write_bytes(other.certificate)
    subject.time.advance(10)
    in_between = subject.serving.context()
    (subject.folder / "tls.key").write_bytes(other.key)
    subject.time.advance(10)

    assert in_between is first
    assert subject.serving.context() is not first
    assert subject.counts == (3.0, 1.0)
    subject.watcher.stop()


def test_files_may_come_later(subject: Subject) -> None:
    subject.watcher.start()
    problem = subject.watcher.problem

    subject.write(subject.issued())
    subject.time.advance(10)

    assert problem is not None
    assert problem.endswith("tls.crt: No such file or directory")
    assert subject.watcher.problem is None
    subject.watcher.stop()


def test_a_mounted_secret_is_followed_through_its_links(subject: Subject) -> None:
    for name in ("one", "two"):
        (subject.folder / name).mkdir()
        subject.folder, folder = subject.folder / name, subject.folder
        subject.write(subject.issued())
        subject.folder = folder
    link = subject.folder / "..data"
    link.symlink_to("one")
    for name in ("tls.crt", "tls.key"):
        (subject.folder / name).symlink_to(f"..data/{name}")
    subject.watcher.start()
    first = subject.serving.context()

    new = subject.folder / "..data_tmp"
    new.symlink_to("two")
    new.replace(link)
    subject.time.advance(10)

    assert subject.serving.context() not in {None, first}
    subject.watcher.stop()
