"""The HTTP server for probes and metrics, over real sockets."""

import http.client
import socket
from collections.abc import Callable, Iterator, Mapping

import pytest

from framework.errors import ConfigurationError
from framework.http.address import parse_address
from framework.manager import HttpServer
from framework.manager.server import MAX_CONNECTIONS, Page, text_page
from framework.runtime import Task, ThreadRuntime
from framework.testing.control_plane.waiting import wait_until

Start = Callable[..., HttpServer]


class CountingRuntime(ThreadRuntime):
    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        task = super().spawn(name, target)
        self.tasks.append(task)
        return task


@pytest.fixture
def runtime() -> CountingRuntime:
    return CountingRuntime()


@pytest.fixture
def start(runtime: CountingRuntime) -> Iterator[Start]:
    started: list[HttpServer] = []

    def broken(_headers: Mapping[str, str]) -> Page:
        raise RuntimeError("no page")

    def go(address: str = "127.0.0.1:0", *, request_seconds: float = 10.0) -> HttpServer:
        routes = {
            "/healthz": lambda _: text_page(200, "ok\n"),
            "/accept": lambda headers: text_page(200, headers.get("accept", "")),
            "/broken": broken,
        }
        server = HttpServer("health", address, routes, runtime, request_seconds=request_seconds)
        started.append(server)
        server.start()
        return server

    yield go
    for server in started:
        server.stop()


def ask(
    server: HttpServer, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(method, path, body, dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, answer, answer.read()
    finally:
        connection.close()


def test_get_answers_the_page_of_its_path(start: Start) -> None:
    status, answer, body = ask(start(), "GET", "/healthz?verbose=1")

    assert (status, body) == (200, b"ok\n")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "Python" not in answer.headers["Server"]


def test_another_path_is_not_found(start: Start) -> None:
    server = start()

    assert [ask(server, "GET", path)[0] for path in ("/", "/healthz/", "/metrics")] == [404, 404, 404]


def test_head_answers_like_get_without_the_body(start: Start) -> None:
    status, answer, body = ask(start(), "HEAD", "/healthz")

    assert (status, body) == (200, b"")
    assert answer.headers["Content-Length"] == "3"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_other_methods_are_refused_in_words(start: Start, method: str) -> None:
    status, answer, _ = ask(start(), method, "/healthz", body=b"x" * 100)

    assert status == 405
    assert answer.headers["Allow"] == "GET, HEAD"


def test_the_names_of_headers_are_found_in_any_case(start: Start) -> None:
    assert ask(start(), "GET", "/accept", headers={"aCCept": "text/x"})[2] == b"text/x"


def test_a_page_that_fails_is_a_500_and_the_server_goes_on(start: Start) -> None:
    server = start()

    assert ask(server, "GET", "/broken")[0] == 500
    assert ask(server, "GET", "/healthz")[0] == 200


def test_nonsense_on_the_wire_does_not_end_the_server(start: Start) -> None:
    server = start()

    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(b"\x16\x03\x01\x02\x00\x01\r\n\r\n")
        assert raw.recv(100).startswith(b"")

    assert ask(server, "GET", "/healthz")[0] == 200


def test_clients_that_send_nothing_hold_neither_the_server_nor_their_connection(start: Start) -> None:
    server = start(request_seconds=0.3)
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(10)]

    assert ask(server, "GET", "/healthz")[0] == 200

    # Cut off by the server: an end, not a timeout of ours.
    assert all(is_cut_off(each) for each in silent)
    for each in silent:
        each.close()


def test_a_client_that_sends_a_byte_now_and_then_is_cut_off_all_the_same(start: Start) -> None:
    server = start(request_seconds=0.3)

    with socket.create_connection(("127.0.0.1", server.port), timeout=0.05) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\n")
        sent = trickle(slow, limit=200)

    assert sent < 200


def is_cut_off(connected: socket.socket) -> bool:
    """Wait for the other side to end the connection, in whichever way."""
    try:
        return connected.recv(1) == b""
    except ConnectionResetError:
        return True


def trickle(slow: socket.socket, limit: int) -> int:
    """Send a byte every 50 ms until the other side has enough; return how many it took."""
    for sent in range(limit):
        try:
            slow.sendall(b"X")
            if slow.recv(1) == b"":
                return sent
        except TimeoutError:
            continue
        except OSError:
            return sent
    return limit


def test_more_connections_than_allowed_are_turned_away(start: Start, runtime: CountingRuntime) -> None:
    server = start()
    crowd = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(MAX_CONNECTIONS + 1)]

    # Accepted in order, so only the last finds no place, and long before it is late.
    assert is_cut_off(crowd[-1])
    assert sum(task.is_alive() for task in runtime.tasks) == MAX_CONNECTIONS + 1
    for each in crowd:
        each.close()


def test_a_stop_leaves_no_thread_and_no_connection(start: Start, runtime: CountingRuntime) -> None:
    server = start()
    port = server.port
    assert ask(server, "GET", "/healthz")[0] == 200

    with socket.create_connection(("127.0.0.1", port), timeout=30) as idle:
        idle.sendall(b"GET /healthz HTTP/1.1\r\n")
        # The server itself, the connection before, and this one.
        assert wait_until(lambda: len(runtime.tasks) == 3, limit_seconds=30)
        server.stop()

        assert is_cut_off(idle)
    # The thread of a connection that was over before is on its last steps.
    assert wait_until(lambda: not any(task.is_alive() for task in runtime.tasks), limit_seconds=30)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=30)


def test_a_server_that_was_never_started_can_be_stopped(runtime: CountingRuntime) -> None:
    HttpServer("health", "127.0.0.1:0", {}, runtime).stop()


def test_an_address_without_host_listens_on_both_families(start: Start) -> None:
    server = start(":0")

    families = ["127.0.0.1", "::1"] if socket.has_dualstack_ipv6() else ["127.0.0.1"]
    for host in families:
        socket.create_connection((host, server.port), timeout=30).close()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (":8080", ("", 8080)),
        ("127.0.0.1:0", ("127.0.0.1", 0)),
        ("[::1]:9", ("::1", 9)),
        ("localhost:65535", ("localhost", 65535)),
    ],
)
def test_addresses_are_read(address: str, expected: tuple[str, int]) -> None:
    assert parse_address("health", address) == expected


@pytest.mark.parametrize("address", ["8080", "host", ":", ":http", ":-1", ":٣", ":65536"])
def test_an_address_that_is_none_is_one_clear_line(address: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^health address '.*' (is not HOST:PORT|has a port above)"):
        parse_address("health", address)


def test_an_address_in_use_is_one_clear_line(start: Start, runtime: CountingRuntime) -> None:
    taken = f"127.0.0.1:{start().port}"

    with pytest.raises(ConfigurationError) as raised:
        HttpServer("metrics", taken, {}, runtime)

    assert str(raised.value) == f"metrics address {taken} cannot be listened on: Address already in use"


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "a" * 70 + ".example"])
def test_a_host_that_is_not_ours_is_one_clear_line(runtime: CountingRuntime, host: str) -> None:
    with pytest.raises(ConfigurationError, match=f"^metrics address {host}:0 cannot be listened on: .+$"):
        HttpServer("metrics", f"{host}:0", {}, runtime)
