"""The way to the server."""

import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from framework.testing.relay.control import Control
from framework.testing.relay.errors import RelayError
from framework.testing.relay.wire import Wire
from framework.testing.tls import for_mortal_servers

# Below the time in which the relay promises to end.
_CONNECT_SECONDS = 1.0


class Upstream:
    """Opens connections to the server behind one URL, verified by one CA."""

    def __init__(self, url: str, ca_file: Path | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RelayError(f"{url!r} is no http or https URL of a server")
        self._url = url
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = for_mortal_servers(ssl.create_default_context(cafile=ca_file)) if parts.scheme == "https" else None
        self.authority = parts.netloc

    def connect(self, control: Control) -> Wire:
        wire = Wire(socket.create_connection((self._host, self._port), _CONNECT_SECONDS), control)
        try:
            if self._tls:
                wire.secure(self._tls, server_name=self._host)
        except ssl.SSLCertVerificationError as error:
            wire.close(reset=True)
            raise RelayError(f"{self._url} has a certificate that ca_file does not verify: {error}") from error
        except BaseException:
            wire.close(reset=True)
            raise
        return wire
