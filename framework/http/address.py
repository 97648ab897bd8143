"""Where a server listens: `:8080`, `127.0.0.1:8080` or `[::1]:8080`."""

import ipaddress
import os
import socket

from framework.errors import ConfigurationError

_HIGHEST_PORT = 65535
_BACKLOG = 64


def parse_address(name: str, address: str) -> tuple[str, int]:
    """Host and port of *address*; an empty host is every address, port 0 any free one."""
    host, separator, port = address.rpartition(":")
    if not separator or not (port.isascii() and port.isdigit()):
        raise ConfigurationError(f"{name} address {address!r} is not HOST:PORT or :PORT")
    if int(port) > _HIGHEST_PORT:
        raise ConfigurationError(f"{name} address {address!r} has a port above {_HIGHEST_PORT}")
    return host.removeprefix("[").removesuffix("]"), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach *host*; an empty one is every address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def listen(name: str, address: str) -> socket.socket:
    """A socket that listens on *address*; one clear line if that cannot be."""
    host, port = parse_address(name, address)
    try:
        return _listen(host, port)
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"{name} address {address} cannot be listened on: {_reason(error)}") from None


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        # Without the address, which the standard library repeats.
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error)


def _listen(host: str, port: int) -> socket.socket:
    if not host and socket.has_dualstack_ipv6():
        # Every address of both families: a pod may have only one of them.
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=_BACKLOG)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)
