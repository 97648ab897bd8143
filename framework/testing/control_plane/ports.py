"""Ports on loopback for servers that keep theirs across restarts."""

import secrets
import socket
from pathlib import Path

_LOWEST = 10000
_PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port() -> int:
    """Return a port that is free now, and that no outgoing connection will be given.

    The kernel hands out ephemeral ports to whoever connects, even to a client that keeps trying to reach the very
    server that is down: that server could then not come back. Another server may still take the port first, so the
    caller must try again when it cannot bind.
    """
    first_ephemeral = _first_ephemeral_port()
    for _ in range(100):
        port = _LOWEST + secrets.randbelow(first_ephemeral - _LOWEST) if first_ephemeral > _LOWEST else 0
        with socket.socket() as attempt:
            try:
                attempt.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(attempt.getsockname()[1])
    raise OSError("no free port on 127.0.0.1 after 100 attempts; end some servers and try again")


def _first_ephemeral_port() -> int:
    try:
        return int(_PORT_RANGE.read_text().split()[0])
    except OSError:
        return 0
