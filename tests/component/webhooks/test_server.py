"""Whatever comes to the port: the right answer, bounded memory, and the server lives on."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from framework.certificates.authority import Authority
from framework.clock import SystemClock
from framework.testing.control_plane.waiting import wait_until
from tests.component.webhooks.webhook_process import WebhookProcess, a_review, answer_of, head

MEBIBYTE = 1024 * 1024
MOST_BODY = 7 * MEBIBYTE
MOST_BODIES = 64 * MEBIBYTE
MOST_CONNECTIONS = 256


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookProcess]:
    with WebhookProcess(tmp_path_factory.mktemp("webhook")) as started:
        yield started
    assert "Traceback" not in started.log


@pytest.fixture(autouse=True)
def _lives_on(server: WebhookProcess) -> Iterator[None]:
    yield
    assert wait_until(lambda: _is_served(server), limit_seconds=30)


def test_a_review_is_answered(server: WebhookProcess) -> None:
    allowed, denied = server.post(a_review(x="1")), server.post(a_review(bad="1"))

    assert allowed == (
        200,
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": "42", "allowed": True}},
    )
    assert denied[1]["response"]["status"] == {"code": 403, "reason": "Forbidden", "message": "bad data"}


@pytest.mark.parametrize(
    ("body", "path", "content_type", "code"),
    [
        (b"{}", "/validate--v1-configmap", "application/json", 400),
        (b"no json", "/validate--v1-configmap", "application/json", 400),
        (b"", "/validate--v1-configmap", "application/json", 400),
        (b"[" * 200_000, "/validate--v1-configmap", "application/json", 400),
        (a_review(), "/validate--v1-configmap", "application/yaml", 415),
        (a_review(), "/validate--v1-pod", "application/json", 404),
        (b"x" * (MOST_BODY + 1), "/validate--v1-configmap", "application/json", 413),
    ],
)
def test_what_is_no_review_gets_a_status(
    server: WebhookProcess, body: bytes, path: str, content_type: str, code: int
) -> None:
    status, document = server.post(body, path, content_type)

    assert (status, document["kind"], document["code"]) == (code, "Status", code)


def test_a_review_of_the_greatest_size_is_answered(server: WebhookProcess) -> None:
    review = a_review(x="y" * (MOST_BODY - 1000))

    assert server.post(review)[0] == 200


def test_a_body_without_end_is_cut_off(server: WebhookProcess) -> None:
    before = server.forget_peak()
    with server.connect() as client:
        client.sendall(head(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked"))
        piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        with suppress(OSError):
            for _ in range(100):
                client.sendall(piece)

        status, _ = answer_of(client)

    assert status == 413
    assert server.peak() - before < 64 * MEBIBYTE


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\x00" * 5000, b"\x16\x03\x01\xff\xff"])
def test_what_is_no_tls_ends_the_connection(server: WebhookProcess, garbage: bytes) -> None:
    with server.plain() as client:
        client.sendall(garbage)
        client.shutdown(socket.SHUT_WR)

        with suppress(ConnectionResetError):
            while client.recv(1000):
                continue


def test_http_2_is_not_offered(server: WebhookProcess) -> None:
    with server.connect(alpn=("h2", "http/1.1")) as client:
        assert client.selected_alpn_protocol() == "http/1.1"
        assert client.version() == "TLSv1.3"


def test_bodies_that_never_end_take_bounded_memory_and_hold_up_nobody(server: WebhookProcess) -> None:
    before = server.forget_peak()
    with ExitStack() as stack:
        waiting: list[ssl.SSLSocket] = []
        for _ in range(100):
            client = stack.enter_context(server.connect())
            client.sendall(head(MOST_BODY))
            with suppress(OSError):
                client.sendall(b"x" * (MOST_BODY - 1))
            client.settimeout(0.05)
            if not _is_refused(client):
                waiting.append(client)

        def all_but_some_are_refused() -> bool:
            waiting[:] = [client for client in waiting if not _is_refused(client)]
            return len(waiting) <= MOST_BODIES // MOST_BODY + 5

        assert wait_until(all_but_some_are_refused, limit_seconds=20)
        assert server.peak() - before < MOST_BODIES + 48 * MEBIBYTE
        assert server.post(a_review())[0] == 200


def test_more_connections_than_there_are_places_are_told_so(server: WebhookProcess) -> None:
    before = server.forget_peak()
    with ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            stack.enter_context(server.connect())

        assert server.post(a_review())[0] == 503
        assert server.peak() - before < 64 * MEBIBYTE


def test_connections_that_never_say_a_word_of_tls_hold_up_nobody_for_ever(tmp_path: Path) -> None:
    with WebhookProcess(tmp_path, head_seconds=1.0) as server, ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS + 100):
            stack.enter_context(server.plain())

        assert wait_until(lambda: _is_served(server), limit_seconds=30)


@pytest.mark.parametrize("sent", [b"POST / HTTP/1.1\r\nHost: a\r\nX: ", head(1000) + b"{"])
def test_a_client_that_sends_slowly_is_dropped(tmp_path: Path, sent: bytes) -> None:
    with WebhookProcess(tmp_path, head_seconds=1.0) as server, server.connect() as slow:
        slow.sendall(sent)
        slow.settimeout(20)

        def is_dropped() -> bool:
            # A byte now and then is what keeps others waiting.
            slow.sendall(b"x")
            slow.settimeout(0.2)
            try:
                return slow.recv(100).startswith(b"HTTP/1.1 408 ")
            except TimeoutError:
                return False

        assert wait_until(is_dropped, limit_seconds=20)
        assert server.post(a_review())[0] == 200


def test_only_clients_of_the_authority_and_of_the_right_name_may_ask(tmp_path: Path) -> None:
    authority = Authority.create(clock=SystemClock())
    stranger = Authority.create(clock=SystemClock()).issue_client("kube-apiserver")
    with WebhookProcess(tmp_path, client_authority=authority) as server:
        right = server.post(a_review(), pair=authority.issue_client("kube-apiserver"))
        wrong = server.post(a_review(), pair=authority.issue_client("mallory"))

        assert (right[0], wrong[0]) == (200, 403)
        for pair in (None, stranger):
            with pytest.raises((OSError, ValueError, IndexError)):
                server.post(a_review(), pair=pair)


def _is_refused(client: ssl.SSLSocket) -> bool:
    try:
        return answer_of(client)[0] == 503
    except (TimeoutError, ConnectionError, ssl.SSLError):
        return False


def _is_served(server: WebhookProcess) -> bool:
    try:
        return server.post(a_review())[0] == 200
    except OSError:
        return False
