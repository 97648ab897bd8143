"""Connections to a server that is gone before the handshake leave nothing behind."""

import socket
import ssl
import struct
from collections.abc import Iterator

import pytest

from framework.testing.control_plane.waiting import wait_until
from framework.testing.tls import for_mortal_servers

_RESET_AT_ONCE = struct.pack("ii", 1, 0)


@pytest.fixture
def reset() -> Iterator[socket.socket]:
    """A connection that its peer has reset already."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connected = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_ONCE)
        peer.close()
        assert wait_until(lambda: not _has_peer(connected), limit_seconds=10)
        yield connected
        connected.close()


def _has_peer(connected: socket.socket) -> bool:
    try:
        connected.getpeername()
    except OSError:
        return False
    return True


def test_a_socket_whose_peer_is_gone_before_the_handshake_is_closed(reset: socket.socket) -> None:
    # A warning would be an error.
    with pytest.raises(ConnectionResetError):
        for_mortal_servers(ssl.create_default_context()).wrap_socket(reset, server_hostname="localhost")
