"""Metrics over TLS, over real sockets: with a certificate of the process, or with one that is given to it."""

import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from framework.certificates import signing
from framework.certificates.key_pair import KeyPairFiles
from framework.client import Client, Connection, HttpRequest, HttpResponse, StaticCredentials
from framework.client.credentials import ClusterAddress
from framework.clock import SystemClock
from framework.errors import ConfigurationError
from framework.manager import HttpServer, Manager, ManagerOptions
from framework.manager.metrics_security import MetricsSecurity
from framework.manager.server import text_page
from framework.randomness import system_random
from framework.runtime import ThreadRuntime

ANYWHERE = "127.0.0.1:0"
CLOCK = SystemClock()


class Nobody:
    """An API server that knows nobody."""

    def exchange(self, request: HttpRequest, **_: Any) -> HttpResponse:  # noqa: ARG002 - as the seam names it
        return HttpResponse(201, {}, b'{"metadata": {}, "status": {}}')

    def close(self) -> None:
        pass


def a_client() -> Client:
    connection = Connection(
        StaticCredentials(ClusterAddress("https://nobody")),
        make_transport=lambda _: Nobody(),
        clock=CLOCK,
        runtime=ThreadRuntime(),
        random=system_random(),
        user_agent="test",
    )
    return Client(connection)


Serve = Callable[..., HttpServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    started: list[HttpServer | MetricsSecurity] = []

    def go(security: MetricsSecurity, *, is_ready: bool = True, request_seconds: float = 10.0) -> HttpServer:
        if is_ready:
            security.start()
        routes = {
            "/open": lambda _: text_page(200, "ok\n"),
            "/metrics": security.guard(lambda _: text_page(200, "1\n")),
        }
        server = HttpServer(
            "metrics", ANYWHERE, routes, ThreadRuntime(), tls=security.tls, request_seconds=request_seconds
        )
        server.start()
        started.extend((server, security))
        return server

    yield go
    for each in started:
        each.stop()


def security_of(folder: Path | None = None, registry: CollectorRegistry | None = None) -> MetricsSecurity:
    return MetricsSecurity(a_client(), folder, registry or CollectorRegistry(), clock=CLOCK, runtime=ThreadRuntime())


def ask(server: HttpServer, path: str) -> tuple[bytes, bytes]:
    """The answer, and the certificate that was shown."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain,
        context.wrap_socket(plain) as connected,
    ):
        connected.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        answer = b""
        while chunk := connected.recv(4096):
            answer += chunk
        return answer, connected.getpeercert(binary_form=True) or b""


def test_page_is_served_with_a_certificate_that_the_process_has_signed(serve: Serve) -> None:
    registry = CollectorRegistry()
    server = serve(security_of(registry=registry))

    answer, certificate = ask(server, "/open")

    assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"ok\n")  # noqa: PT018 - one claim
    assert b"localhost" in certificate
    ends = registry.get_sample_value("windlass_metrics_certificate_expiry_timestamp_seconds")
    assert ends is not None and ends > (CLOCK.now() + timedelta(days=300)).timestamp()  # noqa: PT018 - one claim


def test_metrics_are_refused_to_who_shows_nothing(serve: Serve) -> None:
    answer, _ = ask(serve(security_of()), "/metrics")

    assert answer.startswith(b"HTTP/1.1 401")
    assert b"WWW-Authenticate: Bearer\r\n" in answer


def test_certificate_of_the_folder_is_shown(serve: Serve, tmp_path: Path) -> None:
    now = CLOCK.now()
    lifetime = (now - timedelta(hours=1), now + timedelta(hours=1))
    pair = signing.server(signing.self_signed("us", lifetime), ["metrics.example.com"], lifetime)
    KeyPairFiles(tmp_path / "tls.crt", tmp_path / "tls.key").write(pair)

    _, certificate = ask(serve(security_of(tmp_path)), "/open")

    assert b"metrics.example.com" in certificate


def test_nobody_is_answered_without_a_certificate(serve: Serve, tmp_path: Path) -> None:
    server = serve(security_of(tmp_path))

    with pytest.raises((ssl.SSLError, ConnectionError)):
        ask(server, "/open")


def test_client_that_never_shakes_hands_is_cut_off_and_holds_up_nobody(serve: Serve) -> None:
    server = serve(security_of(), request_seconds=0.5)

    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as silent:
        assert ask(server, "/open")[0].startswith(b"HTTP/1.1 200")
        assert silent.recv(1) == b""


def test_plain_request_is_refused_and_the_server_goes_on(serve: Serve) -> None:
    server = serve(security_of())

    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain:
        plain.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        assert not plain.recv(100).startswith(b"HTTP")

    assert ask(server, "/open")[0].startswith(b"HTTP/1.1 200")


def test_probes_cannot_be_where_secured_metrics_are() -> None:
    options = ManagerOptions(health_address=":8443", metrics_address=":8443", metrics_secure=True)

    with pytest.raises(ConfigurationError, match="cannot both be served at :8443"):
        Manager(a_client(), options=options)


def test_rights_to_review_are_needed_only_for_secured_metrics() -> None:
    secured = Manager(a_client(), options=ManagerOptions(metrics_address=ANYWHERE, metrics_secure=True))
    plain = Manager(a_client(), options=ManagerOptions(metrics_address=ANYWHERE))

    assert [str(right) for right in secured.rights()["metrics"]] == [
        "create tokenreviews.authentication.k8s.io",
        "create subjectaccessreviews.authorization.k8s.io",
    ]
    assert "metrics" not in plain.rights()
