"""Whatever a client sends, the server needs little memory and time for it, and lives on."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.component.bad_input.bombs import BOMBS, CONFIG_MAPS, LIMIT, PODS, Bomb
from tests.component.bad_input.server_process import ServerProcess
from tests.conformance.api import Api

MEBIBYTE = 1024 * 1024
# More than what is in use before, whatever the request. Bodies have at most 3.
MOST_BYTES = 256 * MEBIBYTE
# On a machine that does nothing else it is under three.
MOST_CPU_SECONDS = 30.0
_HEAD = "POST {} HTTP/1.1\r\nHost: a\r\nAuthorization: {}\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_no_request_takes_much_memory(server: ServerProcess, api: Api, bomb: Bomb) -> None:
    assert len(bomb.body) <= LIMIT
    before, cpu_before = server.forget_peak(), server.cpu_seconds()

    reply = api.request(
        bomb.method, bomb.target, bomb.body or None, content_type=bomb.content_type, headers=bomb.headers
    )

    if reply.status == 201 and bomb.method == "POST":
        api.delete(f"{bomb.target}/x")
    assert reply.status in {200, 201, 400, 413, 422, 500}
    if reply.status == 500:
        assert reply.message == "etcdserver: request is too large"
    assert server.peak() - before < MOST_BYTES
    assert server.cpu_seconds() - cpu_before < MOST_CPU_SECONDS


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_beyond_the_limit_is_not_kept(server: ServerProcess, *, is_chunked: bool) -> None:
    head = _HEAD.format(PODS, server.headers["Authorization"])
    before = server.forget_peak()

    with closing(_connect(server)) as client:
        length = "Transfer-Encoding: chunked\r\n\r\n" if is_chunked else f"Content-Length: {1000 * MEBIBYTE}\r\n\r\n"
        client.sendall((head + length).encode())
        if is_chunked:
            piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
            for _ in range(4):
                client.sendall(piece)
        answer = _head_of(client)

    assert answer.startswith("HTTP/1.1 413 ")
    assert server.peak() - before < 16 * MEBIBYTE


def test_clients_that_send_slowly_do_not_hold_up_others(server: ServerProcess, api: Api) -> None:
    head = _HEAD.format(PODS, server.headers["Authorization"])
    before = server.forget_peak()
    with ExitStack() as stack:
        for _ in range(100):
            client = stack.enter_context(closing(_connect(server)))
            client.sendall((head + "Content-Length: 3000000\r\n\r\n{").encode())

        replies = [api.get(CONFIG_MAPS) for _ in range(100)]

        assert {reply.status for reply in replies} == {200}
        assert server.peak() - before < 64 * MEBIBYTE


def test_a_thousand_connections_are_served_and_more_are_told_so(server: ServerProcess) -> None:
    before = server.forget_peak()
    with ExitStack() as stack:
        clients = [stack.enter_context(closing(_connect(server))) for _ in range(_CONNECTIONS)]
        one_too_many = stack.enter_context(closing(_connect(server)))

        answers = [_ask(server, client) for client in clients]
        refused = _head_of(one_too_many)

        assert {answer.split(" ")[1] for answer in answers} == {"200"}
        assert refused.startswith("HTTP/1.1 503 ")
        assert server.peak() - before < 200 * MEBIBYTE
    with closing(_connect(server)) as client:
        assert _ask(server, client).startswith("HTTP/1.1 200 ")


_CONNECTIONS = 1_000


@pytest.fixture(autouse=True)
def _alive_afterwards(server: ServerProcess) -> Iterator[None]:
    yield
    assert server.is_alive
    checking = server.api()
    assert checking.get(CONFIG_MAPS).status == 200
    checking.close()


def _connect(server: ServerProcess) -> ssl.SSLSocket:
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    return server.tls().wrap_socket(plain, server_hostname="127.0.0.1")


def _ask(server: ServerProcess, client: ssl.SSLSocket) -> str:
    authorization = server.headers["Authorization"]
    client.sendall(f"GET {CONFIG_MAPS} HTTP/1.1\r\nHost: a\r\nAuthorization: {authorization}\r\n\r\n".encode())
    return _head_of(client)


def _head_of(client: ssl.SSLSocket) -> str:
    received = b""
    while b"\r\n\r\n" not in received:
        more = client.recv(65536)
        assert more, "the connection has ended"
        received += more
    return received.partition(b"\r\n\r\n")[0].decode()
