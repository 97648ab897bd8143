"""The relay on real sockets, in front of a small server that does as the test says."""

import gzip
import http.client
import json
import queue
import select
import socket
import ssl
import subprocess
import threading  # noqa: TID251 - real sockets need real threads
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from framework.errors import Status, TooLargeResourceVersion, api_error
from framework.testing.relay import (
    Action,
    CutAfter,
    DropEvent,
    EndCleanly,
    Fault,
    InjectEvent,
    Match,
    Relay,
    RelayError,
    ResetBefore,
    Respond,
    RespondAfterApply,
    RewriteQuery,
    Stall,
    Trickle,
    error_event,
    expired,
    too_large_resource_version,
    too_many_requests,
)
from framework.testing.tls import for_mortal_servers

LIMIT_SECONDS = 5
# Long enough for what must not come to come.
SILENCE_SECONDS = 0.1
LARGE = bytes(range(256)) * 40_000


class Server(ThreadingHTTPServer):
    """An upstream: lists, watches fed by the test, and writes that it remembers."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.streams: defaultdict[str, queue.Queue[bytes | None]] = defaultdict(queue.Queue)
        self.applied: list[bytes] = []
        self.targets: list[str] = []
        self.client_ports: list[int] = []
        self.ended_watches: queue.Queue[str] = queue.Queue()
        self.is_closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Broken connections are what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        pass

    def do_GET(self) -> None:
        self.server.targets.append(self.path)
        self.server.client_ports.append(self.client_address[1])
        if self.path.startswith("/watch"):
            self._watch()
        elif self.path == "/large":
            self._reply(LARGE)
        elif self.path == "/gzip":
            self._reply(gzip.compress(b"{}\n"), ("Content-Encoding", "gzip"))
        elif self.path == "/closing":
            self._reply(b"bye", ("Connection", "close"))
        elif self.path == "/unframed":
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\nuntil the end")
        else:
            self._reply(b'{"a":1}\n{"b":2}\n')

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.applied.append(body)
        self._reply(body, status=201)

    def _reply(self, body: bytes, *headers: tuple[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _watch(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        stream = self.server.streams[self.path.partition("?")[0]]
        while (line := self._next(stream)) is not None:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def _next(self, stream: queue.Queue[bytes | None]) -> bytes | None:
        while not self.server.is_closing.is_set():
            if select.select([self.connection], [], [], 0)[0]:
                self.server.ended_watches.put(self.path)
                return None
            try:
                return stream.get(timeout=0.01)
            except queue.Empty:
                continue
        return None


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
        thread.start()
        yield server
        server.is_closing.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    with Relay(server.url) as relay:
        yield relay
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("relay-")]


Connect = Callable[[], http.client.HTTPConnection]


@pytest.fixture
def connect(relay: Relay) -> Iterator[Connect]:
    with ExitStack() as stack:
        address = relay.url.removeprefix("http://")
        yield lambda: stack.enter_context(closing(http.client.HTTPConnection(address, timeout=LIMIT_SECONDS)))


def get(connection: http.client.HTTPConnection, target: str = "/list") -> tuple[int, bytes]:
    connection.request("GET", target)
    response = connection.getresponse()
    return response.status, response.read()


def watch(connection: http.client.HTTPConnection, target: str = "/watch") -> http.client.HTTPResponse:
    connection.request("GET", target)
    return connection.getresponse()


def raw_get(relay: Relay, target: str) -> tuple[bytes, str]:
    """All bytes of the answer, and whether the connection was then reset or closed."""
    with socket.create_connection(("127.0.0.1", int(relay.url.rpartition(":")[2])), LIMIT_SECONDS) as raw:
        raw.sendall(f"GET {target} HTTP/1.1\r\nHost: relay\r\n\r\n".encode())
        received = b""
        try:
            while piece := raw.recv(65536):
                received += piece
        except ConnectionResetError:
            return received, "reset"
        return received, "closed"


def is_silent(connection: http.client.HTTPConnection) -> bool:
    return select.select([connection.sock], [], [], SILENCE_SECONDS)[0] == []


def on_get(action: Action, *, times: int | None = 1) -> Fault:
    return Fault(Match(method="GET"), action, times=times)


def test_an_answer_passes_unchanged_and_is_recorded(relay: Relay, connect: Connect) -> None:
    connection = connect()
    connection.request("GET", "/list?limit=5&continue=", headers={"Authorization": "Bearer token"})
    body = connection.getresponse().read()

    seen = relay.wait_for(lambda request: request.status == 200)
    assert body == b'{"a":1}\n{"b":2}\n'
    assert (seen.number, seen.method, seen.path, seen.query) == (1, "GET", "/list", {"limit": "5", "continue": ""})
    assert seen.headers["authorization"] == "Bearer token"
    assert seen.upstream_status == 200


def test_a_request_body_reaches_the_server(relay: Relay, server: Server, connect: Connect) -> None:
    connection = connect()

    connection.request("POST", "/things", LARGE)
    response = connection.getresponse()

    assert response.read() == LARGE
    assert server.applied == [LARGE]
    assert relay.requests[0].body == LARGE


def test_a_chunked_request_body_reaches_the_server(server: Server, connect: Connect) -> None:
    connection = connect()

    connection.request("POST", "/things", iter([b"one ", b"two"]))
    response = connection.getresponse()

    assert response.read() == b"one two"
    assert server.applied == [b"one two"]


def test_a_client_that_waits_before_its_body_is_asked_for_it(relay: Relay, server: Server) -> None:
    with socket.create_connection(("127.0.0.1", int(relay.url.rpartition(":")[2])), LIMIT_SECONDS) as raw:
        raw.sendall(b"POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        interim = raw.recv(100)
        raw.sendall(b"ok")
        final = raw.recv(100)

    assert interim == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert final.startswith(b"HTTP/1.1 201")
    assert server.applied == [b"ok"]


def test_a_large_answer_passes_unchanged(connect: Connect) -> None:
    assert get(connect(), "/large") == (200, LARGE)


def test_an_answer_that_ends_with_its_connection_passes(connect: Connect) -> None:
    assert get(connect(), "/unframed") == (200, b"until the end")


def test_a_compressed_answer_passes_unchanged(connect: Connect) -> None:
    _, body = get(connect(), "/gzip")

    assert gzip.decompress(body) == b"{}\n"


def test_requests_of_one_connection_share_one_upstream_connection(server: Server, connect: Connect) -> None:
    first, second = connect(), connect()

    for connection in (first, first, second, first):
        get(connection)

    ports = server.client_ports
    assert ports[0] == ports[1] == ports[3] != ports[2]


def test_a_connection_ends_when_the_server_ends_it(relay: Relay) -> None:
    received, end = raw_get(relay, "/closing")

    assert received.endswith(b"\r\n\r\nbye")
    assert end == "closed"


def test_an_event_passes_while_the_stream_stays_open(server: Server, connect: Connect) -> None:
    stream = watch(connect())

    for line in (b'{"n":1}\n', b'{"n":2}\n'):
        server.streams["/watch"].put(line)
        assert stream.readline() == line

    server.streams["/watch"].put(None)
    assert stream.read() == b""


def test_concurrent_watches_do_not_wait_for_each_other(server: Server, connect: Connect) -> None:
    streams = {f"/watch/{number}": watch(connect(), f"/watch/{number}") for number in range(16)}

    for path in reversed(streams):
        server.streams[path].put(f"{path}\n".encode())
        assert streams[path].readline() == f"{path}\n".encode()


def test_the_server_hears_at_once_that_a_watcher_has_left(server: Server, connect: Connect) -> None:
    connection = connect()
    stream = watch(connection)

    stream.close()
    connection.close()

    assert server.ended_watches.get(timeout=LIMIT_SECONDS) == "/watch"


def test_a_server_that_is_not_there_resets(connect: Connect, server: Server) -> None:
    server.shutdown()
    server.socket.close()

    with pytest.raises(ConnectionResetError):
        get(connect())


def test_respond_answers_without_the_server(relay: Relay, server: Server, connect: Connect) -> None:
    relay.inject(on_get(expired()))
    connection = connect()

    status, body = get(connection)

    assert status == 410
    assert api_error(msgspec.json.decode(body, type=Status)).reason == "Expired"
    assert server.targets == []
    assert get(connection)[0] == 200
    assert [request.status for request in relay.requests] == [410, 200]
    assert relay.requests[0].upstream_status is None


def test_respond_can_ask_for_patience_and_close(relay: Relay) -> None:
    relay.inject(on_get(too_many_requests("7", close=True)))

    received, end = raw_get(relay, "/list")

    assert received.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"\r\nRetry-After: 7\r\n" in received
    assert b"\r\nConnection: close\r\n" in received
    assert end == "closed"


def test_respond_sends_whatever_body_it_is_given(relay: Relay, connect: Connect) -> None:
    relay.inject(on_get(Respond(502, body=b"<html>", headers={"Content-Type": "text/html"})))
    relay.inject(on_get(Respond(503, body=b"")))
    connection = connect()

    assert get(connection) == (502, b"<html>")
    assert get(connection) == (503, b"")


def test_a_version_from_the_future_is_recognised_as_such(relay: Relay, connect: Connect) -> None:
    relay.inject(on_get(too_large_resource_version()))

    _, body = get(connect())

    assert isinstance(api_error(msgspec.json.decode(body, type=Status)), TooLargeResourceVersion)


def test_a_write_is_applied_though_its_answer_is_lost(relay: Relay, server: Server, connect: Connect) -> None:
    relay.inject(Fault(Match(method="POST"), RespondAfterApply()))
    connection = connect()
    connection.request("POST", "/things", b"once")

    with pytest.raises(ConnectionResetError):
        connection.getresponse()

    assert server.applied == [b"once"]
    assert [(request.status, request.upstream_status) for request in relay.requests] == [(None, 201)]


def test_a_write_is_applied_though_its_answer_is_another(relay: Relay, server: Server, connect: Connect) -> None:
    relay.inject(Fault(Match(method="POST"), RespondAfterApply(Respond(504, reason="Timeout"))))
    connection = connect()
    connection.request("POST", "/things", b"once")

    response = connection.getresponse()

    assert (response.status, json.loads(response.read())["reason"]) == (504, "Timeout")
    assert server.applied == [b"once"]
    assert get(connection)[0] == 200


def test_reset_before_keeps_the_request_from_the_server(relay: Relay, server: Server) -> None:
    injection = relay.inject(on_get(ResetBefore()))

    assert raw_get(relay, "/list") == (b"", "reset")
    assert server.targets == []
    assert injection.fired == 1


@pytest.mark.parametrize("count", [0, 1, 1000, len(LARGE) - 1, len(LARGE)])
def test_cut_delivers_exactly_so_many_bytes(relay: Relay, count: int) -> None:
    relay.inject(on_get(CutAfter(bytes=count)))

    received, end = raw_get(relay, "/large")

    assert received.partition(b"\r\n\r\n")[2] == LARGE[:count]
    assert end == "reset"


@pytest.mark.parametrize(
    ("action", "body", "end"),
    [
        (CutAfter(bytes=3), b'8\r\n{"n', "reset"),
        (CutAfter(events=1), b'8\r\n{"n":1}\n\r\n', "reset"),
        (CutAfter(events=1, extra_bytes=2, reset=False), b'8\r\n{"n":1}\n\r\n8\r\n{"', "closed"),
    ],
)
def test_cut_can_leave_half_a_line_in_half_a_chunk(
    relay: Relay, server: Server, action: CutAfter, body: bytes, end: str
) -> None:
    relay.inject(on_get(action))
    for number in (1, 2):
        server.streams["/watch"].put(b'{"n":%d}\n' % number)

    received = raw_get(relay, "/watch")

    assert (received[0].partition(b"\r\n\r\n")[2], received[1]) == (body, end)


def test_stall_is_silent_until_released(relay: Relay, server: Server, connect: Connect) -> None:
    injection = relay.inject(on_get(Stall(after_events=1)))
    connection = connect()
    stream = watch(connection)
    for line in (b"1\n", b"2\n"):
        server.streams["/watch"].put(line)

    assert stream.readline() == b"1\n"
    injection.wait()
    assert is_silent(connection)

    relay.release()
    assert stream.readline() == b"2\n"


def test_stall_can_withhold_the_headers(relay: Relay, connect: Connect) -> None:
    injection = relay.inject(on_get(Stall(before_headers=True)))
    connection = connect()
    connection.request("GET", "/list")

    injection.wait()
    assert is_silent(connection)

    relay.release()
    assert connection.getresponse().status == 200


def test_a_stalled_watch_ends_with_its_client(relay: Relay, server: Server, connect: Connect) -> None:
    injection = relay.inject(on_get(Stall(after_events=0)))
    connection = connect()
    stream = watch(connection)
    injection.wait()

    stream.close()
    connection.close()

    assert server.ended_watches.get(timeout=LIMIT_SECONDS) == "/watch"


def test_trickle_delivers_everything_in_small_writes(relay: Relay, connect: Connect) -> None:
    injection = relay.inject(on_get(Trickle(4, 0.001)))

    assert get(connect()) == (200, b'{"a":1}\n{"b":2}\n')
    injection.wait(times=4)


def test_an_error_event_inside_the_stream_can_end_it(relay: Relay, server: Server, connect: Connect) -> None:
    line = error_event(Status(code=410, reason="Expired", message="too old resource version: 1 (2)"))
    relay.inject(on_get(InjectEvent(after_events=1, line=line, then_end=True)))
    server.streams["/watch"].put(b"1\n")
    connection = connect()

    lines = watch(connection).read().splitlines()

    assert lines[0] == b"1"
    error = json.loads(lines[1])
    assert (error["type"], error["object"]["kind"], error["object"]["code"]) == ("ERROR", "Status", 410)
    assert "details" not in error["object"]
    assert get(connection)[0] == 200


def test_a_hidden_event_leaves_the_others(relay: Relay, server: Server, connect: Connect) -> None:
    relay.inject(on_get(DropEvent(2)))
    for line in (b"1\n", b"2\n", b"3\n", None):
        server.streams["/watch"].put(line)

    assert watch(connect()).read() == b"1\n3\n"


def test_events_can_be_edited_in_a_body_of_known_length(relay: Relay, connect: Connect) -> None:
    relay.inject(on_get(DropEvent(1)))
    connection = connect()

    assert get(connection) == (200, b'{"b":2}\n')
    assert get(connection) == (200, b'{"a":1}\n{"b":2}\n')


def test_a_clean_end_leaves_the_connection_usable(relay: Relay, server: Server, connect: Connect) -> None:
    relay.inject(on_get(EndCleanly(1)))
    server.streams["/watch"].put(b"1\n")
    connection = connect()

    assert watch(connection).read() == b"1\n"
    assert server.ended_watches.get(timeout=LIMIT_SECONDS) == "/watch"
    assert get(connection)[0] == 200


def test_the_server_is_asked_with_other_parameters(relay: Relay, server: Server, connect: Connect) -> None:
    relay.inject(on_get(RewriteQuery({"sendInitialEvents": None, "timeoutSeconds": "1"})))

    get(connect(), "/list?sendInitialEvents=true&resourceVersion=5&timeoutSeconds=300")

    assert server.targets == ["/list?resourceVersion=5&timeoutSeconds=1"]
    assert relay.requests[0].query["sendInitialEvents"] == "true"


def test_counting_events_in_a_compressed_body_fails_loudly(server: Server) -> None:
    relay = Relay(server.url)
    injection = relay.inject(on_get(EndCleanly(1)))

    assert raw_get(relay, "/gzip") == (b"", "reset")
    with pytest.raises(RelayError, match="encoded with gzip"):
        injection.wait()
    with pytest.raises(RelayError, match="encoded with gzip"):
        relay.close()


def test_cut_resets_what_is_open_and_refuses_what_comes(relay: Relay, connect: Connect) -> None:
    connection = connect()
    stream = watch(connection)

    relay.cut()

    with pytest.raises(ConnectionResetError):
        stream.readline()
    with pytest.raises(ConnectionRefusedError):
        get(connect())


def test_nobody_can_take_the_port_during_a_cut(relay: Relay) -> None:
    relay.cut()

    with socket.socket() as thief, pytest.raises(OSError, match="in use"):
        thief.bind(("127.0.0.1", int(relay.url.rpartition(":")[2])))


def test_restore_after_a_cut_serves_on_the_same_port(relay: Relay, connect: Connect) -> None:
    relay.cut()
    relay.restore()

    assert get(connect())[0] == 200


def test_freeze_passes_nothing_and_ends_nothing(relay: Relay, server: Server, connect: Connect) -> None:
    watcher, newcomer = connect(), connect()
    stream = watch(watcher)

    relay.freeze()
    server.streams["/watch"].put(b"1\n")
    newcomer.request("GET", "/list")

    assert is_silent(watcher)
    assert is_silent(newcomer)
    assert relay.count(lambda request: request.path == "/list") == 0

    relay.restore()
    assert stream.readline() == b"1\n"
    assert newcomer.getresponse().status == 200


def test_a_frozen_network_can_be_cut(relay: Relay, connect: Connect) -> None:
    stream = watch(connect())
    relay.freeze()

    relay.cut()

    with pytest.raises(ConnectionResetError):
        stream.readline()


@pytest.mark.parametrize("trouble", ["frozen", "stalled", "unread"])
def test_close_ends_every_thread_whatever_it_waits_for(server: Server, trouble: str) -> None:
    with Relay(server.url) as relay:
        injection = relay.inject(on_get(Stall(after_bytes=1) if trouble == "stalled" else Trickle(1 << 20, 0)))
        raw = socket.create_connection(("127.0.0.1", int(relay.url.rpartition(":")[2])), LIMIT_SECONDS)
        raw.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        injection.wait()
        if trouble == "frozen":
            relay.freeze()

    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("relay-")]
    raw.close()


def test_wait_for_sees_requests_to_come(relay: Relay, connect: Connect) -> None:
    connection = connect()
    connection.connect()
    thread = threading.Thread(target=lambda: get(connection, "/late"))

    thread.start()
    seen = relay.wait_for(lambda request: request.path == "/late")

    thread.join()
    assert seen.number == 1


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=relay"
    subprocess.run(
        [*command.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return cert, key


@pytest.fixture
def tls_server(server: Server, certificate: tuple[Path, Path]) -> Server:
    context = for_mortal_servers(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
    context.load_cert_chain(*certificate)
    # The handshake belongs in the thread of the connection, not in that of the listener.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return server


def test_tls_on_both_sides_streams_and_verifies(tls_server: Server, certificate: tuple[Path, Path]) -> None:
    url = tls_server.url.replace("http:", "https:")
    trust = ssl.create_default_context(cafile=certificate[0])
    with (
        Relay(url, ca_file=certificate[0], certificate=certificate) as relay,
        closing(http.client.HTTPSConnection(relay.url.removeprefix("https://"), timeout=5, context=trust)) as client,
    ):
        assert get(client, "/large") == (200, LARGE)
        stream = watch(client)
        tls_server.streams["/watch"].put(b"1\n")
        assert stream.readline() == b"1\n"
        relay.cut()
        # The ssl module tells a reset from an end of file only by chance.
        with pytest.raises((ConnectionResetError, http.client.IncompleteRead)):
            stream.read()


def test_an_upstream_certificate_of_another_authority_fails_loudly(tls_server: Server) -> None:
    relay = Relay(tls_server.url.replace("http:", "https:"))

    assert raw_get(relay, "/list") == (b"", "reset")
    with pytest.raises(RelayError, match="does not verify"):
        relay.close()


def test_the_kubeconfig_leads_to_the_relay(relay: Relay, tmp_path: Path) -> None:
    path = relay.kubeconfig(tmp_path, "token")

    config = json.loads(path.read_text())
    assert config["clusters"][0]["cluster"] == {"server": relay.url}
    assert config["users"][0]["user"] == {"token": "token"}
    assert path.stat().st_mode & 0o077 == 0


def test_the_kubeconfig_trusts_the_certificate_of_the_relay(
    server: Server, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    with Relay(server.url, certificate=certificate) as relay:
        config = json.loads(relay.kubeconfig(tmp_path, "token").read_text())

    assert config["clusters"][0]["cluster"] == {"server": relay.url, "certificate-authority": str(certificate[0])}


def test_a_url_without_a_server_is_refused() -> None:
    with pytest.raises(RelayError, match="no http or https URL"):
        Relay("ftp://example")
