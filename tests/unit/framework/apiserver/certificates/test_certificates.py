"""Certificates in a folder."""

import ssl
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from framework.apiserver.certificates import SERVER_HOSTS, Authority, CertificateFolder, KeyPairFiles
from framework.clock import SystemClock

CLOCK = SystemClock()


class ClockOf:
    """Stands still at *days* from now."""

    monotonic = staticmethod(CLOCK.monotonic)
    wait = staticmethod(CLOCK.wait)

    def __init__(self, days: float) -> None:
        self._now = CLOCK.now() + timedelta(days=days)

    def now(self) -> datetime:
        return self._now


def folder_of(path: Path, days: float = 0) -> CertificateFolder:
    return CertificateFolder(path, clock=ClockOf(days))


def ask_all(folder: CertificateFolder) -> tuple[bytes, ...]:
    server = folder.server().read()
    client = folder.client("jane", ["dev", "ops"], name="jane").read()
    return folder.ca_file.read_bytes(), server.certificate, client.certificate


def shown_by(ca_file: Path, files: KeyPairFiles, host: str) -> dict[str, object]:
    """What a client that connects to *host* sees, once TLS has found it good."""
    client = ssl.create_default_context(cafile=str(ca_file))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate_file, files.key_file)
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(to_client, to_server, server_hostname=host),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for side in sides * 2:
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return dict(sides[0].getpeercert() or {})


@pytest.mark.parametrize("host", SERVER_HOSTS)
def test_server_is_trusted_under_all_its_names(tmp_path: Path, host: str) -> None:
    folder = folder_of(tmp_path)
    files = folder.server()

    assert shown_by(folder.ca_file, files, host)


def test_server_is_not_trusted_under_another_name(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    files = folder.server(["webhook.default.svc"], name="webhook")

    with pytest.raises(ssl.SSLCertVerificationError):
        shown_by(folder.ca_file, files, "localhost")


def test_files_are_private(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "a" / "b")

    ask_all(folder)

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "a" / "b").glob("*.*") if file.suffix}
    assert {mode for name, mode in modes.items() if not name.startswith(".")} == {0o600}
    assert sorted(name for name in modes if not name.startswith(".")) == [
        "ca.crt",
        "ca.key",
        "jane.crt",
        "jane.key",
        "server.crt",
        "server.key",
    ]
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700


def test_good_files_are_used_again(tmp_path: Path) -> None:
    first = ask_all(folder_of(tmp_path))

    assert ask_all(folder_of(tmp_path, days=300)) == first


def test_certificates_that_end_soon_are_made_anew_by_the_same_authority(tmp_path: Path) -> None:
    ca, server, client = ask_all(folder_of(tmp_path))

    new_ca, new_server, new_client = ask_all(folder_of(tmp_path, days=340))

    assert new_ca == ca
    assert new_server != server
    assert new_client != client


def test_authority_that_ends_soon_is_made_anew_with_all_it_has_issued(tmp_path: Path) -> None:
    before = ask_all(folder_of(tmp_path))

    after = ask_all(folder_of(tmp_path, days=3650 - 300))

    assert not set(before) & set(after)


def test_expired_certificates_are_made_anew(tmp_path: Path) -> None:
    before = ask_all(folder_of(tmp_path, days=-400))

    after = ask_all(folder_of(tmp_path))

    assert before[0] == after[0]
    assert not set(before[1:]) & set(after[1:])


def remove(file: Path) -> None:
    file.unlink()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def exchange_for_another(file: Path) -> None:
    pair = Authority.create(clock=CLOCK).pair
    file.write_bytes(pair.key if file.suffix == ".key" else pair.certificate)


@pytest.mark.parametrize("harm", [remove, cut, empty, exchange_for_another])
@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "server.crt", "server.key", "jane.crt", "jane.key"])
def test_broken_files_are_made_anew(tmp_path: Path, name: str, harm: Callable[[Path], None]) -> None:
    folder = folder_of(tmp_path)
    ask_all(folder)
    harm(tmp_path / name)

    ask_all(folder)
    again = ask_all(folder)

    assert shown_by(folder.ca_file, folder.server(), "localhost")
    assert ask_all(folder_of(tmp_path)) == again


def test_other_names_need_another_certificate(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    server = folder.server(["a"]).read()
    client = folder.client("jane", ["dev"], name="jane").read()

    assert folder.server(["a", "::2"]).read() != server
    assert folder.client("jane", ["ops"], name="jane").read() != client
    assert folder.server(["a", "::2"]).read() == folder.server(["::2"]).read()


def test_certificate_is_valid_for_a_client_whose_clock_is_behind(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)

    shown = shown_by(folder.ca_file, folder.server(), "localhost")

    begin = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(shown["notBefore"])), UTC)
    assert begin < CLOCK.now() - timedelta(minutes=30)
