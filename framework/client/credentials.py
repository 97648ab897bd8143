"""What a transport must know to reach a cluster and to be believed there."""

from typing import Protocol

import msgspec


class ClusterAddress(msgspec.Struct, frozen=True):
    """Everything that is fixed for the life of a connection; certificates and keys are PEM."""

    server: str
    ca: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = None
    verify: bool = True
    tls_server_name: str | None = None
    proxy: str | None = None
    # Hosts that are reached without the proxy, separated by commas.
    no_proxy: str = ""
    # Ready-made header lines, e.g. `Impersonate-User: jane`.
    impersonation: tuple[str, ...] = ()


class Credentials(Protocol):
    def address(self) -> ClusterAddress:
        """Where and with which certificates to connect, as of the last load."""

    def authorization(self) -> str | None:
        """The value of the Authorization header now; tokens are re-read as they rotate. Never raises."""

    def reload(self) -> None:
        """Load everything again, because the server refused what we had; ConfigurationError if that is impossible."""


class StaticCredentials:
    """A fixed address and token, for tests and for servers of our own."""

    def __init__(self, address: ClusterAddress, token: str | None = None) -> None:
        self._address = address
        self._authorization = f"Bearer {token}" if token else None

    def address(self) -> ClusterAddress:
        return self._address

    def authorization(self) -> str | None:
        return self._authorization

    def reload(self) -> None:
        """Nothing can have changed."""
