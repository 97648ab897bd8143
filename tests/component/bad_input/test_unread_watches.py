"""A client that watches and does not read is dropped; what it misses is kept for nobody."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.server import ServerOptions
from framework.apiserver.storage import StorageOptions
from framework.http.options import HttpOptions
from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps

MEBIBYTE = 1024 * 1024
_SIZE = 100_000
_HISTORY = 20
_WRITES = 400
_MAPS = config_maps("default")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    options = EmbeddedOptions(
        server=ServerOptions(history=StorageOptions(history_limit=_HISTORY)),
        http=HttpOptions(unread_seconds=1.0),
    )
    with EmbeddedServer(tmp_path, options=options) as started:
        yield started


@pytest.fixture
def api(server: EmbeddedServer) -> Iterator[Api]:
    pair = server.client_files("tester", ("system:masters",))
    connected = Api("embedded", server.url, ca_file=server.ca_file, headers={}, pair=pair)
    yield connected
    connected.close()


def test_a_watch_that_is_not_read_is_dropped_and_costs_little(server: EmbeddedServer, api: Api) -> None:
    before = _forget_peak()
    with closing(_watch_without_reading(server)) as silent, api.watch(_MAPS, {"timeoutSeconds": 60}) as other:
        api.create(_MAPS, config_map("one"))
        seen = [other.next()["type"]]

        for number in range(_WRITES):
            assert api.patch(f"{_MAPS}/one", {"data": {"a": f"{number}" + "x" * _SIZE}}).status == 200
            seen.append(other.next()["type"])

        # Forty megabytes of events went to the one who reads; for the other one the window is kept, and no more.
        assert seen == ["ADDED"] + ["MODIFIED"] * _WRITES
        assert _peak() - before < 48 * MEBIBYTE
        assert _received(silent) < _WRITES * _SIZE // 2


def test_a_watch_that_is_not_read_does_not_keep_the_server_from_stopping(server: EmbeddedServer, api: Api) -> None:
    with closing(_watch_without_reading(server)):
        api.create(_MAPS, config_map("one", a="x" * _SIZE))

        server.stop(grace_seconds=1.0)


def _watch_without_reading(server: EmbeddedServer) -> socket.socket:
    context = ssl.create_default_context(cafile=str(server.ca_file))
    context.load_cert_chain(*server.client_files("tester", ("system:masters",)))
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.settimeout(30)
    plain.connect(("127.0.0.1", int(server.url.rpartition(":")[2])))
    client = context.wrap_socket(plain, server_hostname="127.0.0.1")
    client.sendall(f"GET {_MAPS}?watch=true HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert client.recv(12) == b"HTTP/1.1 200"
    return client


def _received(client: socket.socket) -> int:
    """All that comes until the server closes."""
    received = 0
    try:
        while more := client.recv(65536):
            received += len(more)
    except OSError:
        pass
    return received


def _forget_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
