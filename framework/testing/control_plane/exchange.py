"""One request to a server that may not be up yet."""

import http.client
import json
import ssl
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from framework.testing.tls import for_mortal_servers

# Short: every caller asks again.
_TIMEOUT_SECONDS = 3.0


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes

    def is_ok(self) -> bool:
        return self.status == HTTPStatus.OK

    def document(self) -> Any:
        return json.loads(self.body)


def exchange(
    method: str, url: str, *, token: str | None = None, ca_file: Path | None = None, body: object = None
) -> Answer | None:
    """Return the answer, or None when nobody answers, or somebody whom *ca_file* does not vouch for."""
    parts = urlsplit(url)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    content = None if body is None else json.dumps(body).encode()
    if content is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection = _connection(parts.netloc, ca_file)
        try:
            connection.request(method, parts.path, content, headers)
            response = connection.getresponse()
            return Answer(response.status, response.read())
        finally:
            connection.close()
    except (OSError, http.client.HTTPException):
        return None


def _connection(address: str, ca_file: Path | None) -> http.client.HTTPConnection:
    if ca_file is None:
        return http.client.HTTPConnection(address, timeout=_TIMEOUT_SECONDS)
    trusted = for_mortal_servers(ssl.create_default_context(cafile=str(ca_file)))
    return http.client.HTTPSConnection(address, timeout=_TIMEOUT_SECONDS, context=trusted)
