"""TLS, and who a client is."""

import http.client
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.apiserver.certificates import CertificateFolder, KeyPairFiles
from framework.clock import SystemClock
from framework.errors import ConfigurationError
from framework.http.exchange import PeerCertificate
from framework.http.options import HttpOptions
from framework.http.server import HttpServer
from framework.http.tls import ServerTls, server_context
from tests.unit.framework.http.conftest import Serve
from tests.unit.framework.http.fakes import FakeHandler, FakeStream, watch
from tests.unit.framework.http.wire import GET, Wire


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> CertificateFolder:
    return CertificateFolder(tmp_path_factory.mktemp("certificates"), clock=SystemClock())


@pytest.fixture
def tls(certificates: CertificateFolder) -> ServerTls:
    files = certificates.server()
    return ServerTls(files.certificate_file, files.key_file, certificates.ca_file)


def connected(server: HttpServer, ca_file: Path, client: KeyPairFiles | None = None) -> http.client.HTTPSConnection:
    context = ssl.create_default_context(cafile=str(ca_file))
    if client is not None:
        context.load_cert_chain(client.certificate_file, client.key_file)
    return http.client.HTTPSConnection("localhost", server.port, context=context, timeout=30)


@pytest.fixture
def connection(serve: Serve, tls: ServerTls, certificates: CertificateFolder) -> Iterator[http.client.HTTPSConnection]:
    connection = connected(serve(FakeHandler(), tls=tls), certificates.ca_file)
    yield connection
    connection.close()


def body_of(connection: http.client.HTTPSConnection, target: str) -> bytes:
    connection.request("GET", target)
    return connection.getresponse().read()


def test_requests_are_served_over_one_connection(connection: http.client.HTTPSConnection) -> None:
    bodies = [body_of(connection, "/") for _ in range(10)]

    assert bodies == [b"{}"] * 10


def test_user_and_groups_come_from_the_certificate(
    serve: Serve, tls: ServerTls, certificates: CertificateFolder
) -> None:
    client = certificates.client("jane", ["system:masters", "dev"], name="jane")
    handler = FakeHandler()
    connection = connected(serve(handler, tls=tls), certificates.ca_file, client)

    body_of(connection, "/")

    connection.close()
    assert handler.requests[0].peer == PeerCertificate("jane", ("system:masters", "dev"))


def test_client_without_a_certificate_is_nobody(serve: Serve, tls: ServerTls, certificates: CertificateFolder) -> None:
    handler = FakeHandler()
    connection = connected(serve(handler, tls=tls), certificates.ca_file)

    body_of(connection, "/")

    connection.close()
    assert handler.requests[0].peer is None


def test_certificate_of_another_authority_is_turned_away(
    serve: Serve, tls: ServerTls, certificates: CertificateFolder, tmp_path: Path
) -> None:
    forged = CertificateFolder(tmp_path, clock=SystemClock()).client("admin", ["system:masters"], name="admin")
    handler = FakeHandler()
    connection = connected(serve(handler, tls=tls), certificates.ca_file, forged)

    with pytest.raises((ssl.SSLError, ConnectionResetError, BrokenPipeError)):
        body_of(connection, "/")

    connection.close()
    assert handler.requests == []


def test_servers_certificate_does_not_make_a_client(
    serve: Serve, tls: ServerTls, certificates: CertificateFolder
) -> None:
    connection = connected(serve(FakeHandler(), tls=tls), certificates.ca_file, certificates.server())

    with pytest.raises((ssl.SSLError, ConnectionResetError, BrokenPipeError)):
        body_of(connection, "/")

    connection.close()


def test_plain_http_to_the_tls_port_is_closed_and_harms_nobody(
    serve: Serve, tls: ServerTls, certificates: CertificateFolder
) -> None:
    server = serve(FakeHandler(), tls=tls)
    with Wire(server) as wire:
        wire.send(GET)
        wire.rest()

    connection = connected(server, certificates.ca_file)
    assert body_of(connection, "/") == b"{}"
    connection.close()


def test_connection_without_a_handshake_is_closed_in_time(serve: Serve, tls: ServerTls) -> None:
    with Wire(serve(FakeHandler(), tls=tls, head_seconds=0.1)) as wire:
        assert wire.rest() == b""


def test_stop_ends_watches_over_tls_with_whole_bodies(tls: ServerTls, certificates: CertificateFolder) -> None:
    stream = FakeStream(b"event\n")
    options = HttpOptions(linger_seconds=0.1)
    with HttpServer(FakeHandler({"/watch": watch(stream)}), tls=tls, options=options) as server:
        connection = connected(server, certificates.ca_file)
        connection.request("GET", "/watch")
        answer = connection.getresponse()
        first = answer.readline()

    assert (first, answer.read()) == (b"event\n", b"")
    connection.close()


@pytest.mark.parametrize("broken", ["certificate_file", "key_file", "client_ca_file"])
def test_files_that_cannot_be_used_are_said_in_one_line(tls: ServerTls, tmp_path: Path, broken: str) -> None:
    files = {name: getattr(tls, name) for name in ("certificate_file", "key_file", "client_ca_file")}
    files[broken] = tmp_path / "none"

    with pytest.raises(ConfigurationError, match=r"cannot serve TLS with .*none"):
        HttpServer(FakeHandler(), tls=ServerTls(**files)).start()


def test_a_certificate_is_exchanged_under_open_connections(
    serve: Serve, certificates: CertificateFolder, tmp_path: Path
) -> None:
    others = CertificateFolder(tmp_path, clock=SystemClock())
    contexts = [server_context(tls_of(folder)) for folder in (certificates, others)]
    server = serve(FakeHandler(), tls=lambda: contexts[0])
    old = connected(server, certificates.ca_file)
    assert body_of(old, "/") == b"{}"

    contexts.reverse()
    new = connected(server, others.ca_file)

    assert body_of(new, "/") == b"{}"
    assert body_of(old, "/") == b"{}"
    for each in (old, new):
        each.close()


def test_without_a_certificate_connections_end_and_the_server_waits_for_one(
    serve: Serve, tls: ServerTls, certificates: CertificateFolder
) -> None:
    contexts: list[ssl.SSLContext | None] = [None]
    server = serve(FakeHandler(), tls=lambda: contexts[0])
    with Wire(server) as wire:
        assert wire.rest() == b""

    contexts[0] = server_context(tls)
    connection = connected(server, certificates.ca_file)

    assert body_of(connection, "/") == b"{}"
    connection.close()


def test_a_stop_is_an_orderly_end_for_a_client_that_waits(tls: ServerTls, certificates: CertificateFolder) -> None:
    server = HttpServer(FakeHandler(), tls=tls)
    server.start()
    context = ssl.create_default_context(cafile=str(certificates.ca_file))
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    # An end of the connection without an end of TLS would raise.
    with context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False) as client:
        client.sendall(GET)
        assert client.recv(1000).startswith(b"HTTP/1.1 200 ")

        server.stop()

        assert client.recv(1000) == b""


def tls_of(folder: CertificateFolder) -> ServerTls:
    files = folder.server()
    return ServerTls(files.certificate_file, files.key_file)
