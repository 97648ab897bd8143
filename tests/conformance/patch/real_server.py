"""Requests to a real API server with any content type, in which errors are answers too."""

import http.client
import json
import ssl
from collections.abc import Mapping
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import msgspec

from framework.apiserver.patch import decode_json
from framework.testing.control_plane import ControlPlane
from framework.testing.tls import for_mortal_servers


class Answer(msgspec.Struct, frozen=True):
    status: int
    document: Any
    warnings: tuple[str, ...] = ()


# An absent body, since null is one.
_NOTHING = b""


class RealServer:
    def __init__(self, plane: ControlPlane) -> None:
        self._netloc = urlsplit(plane.url).netloc
        self._trusted = for_mortal_servers(ssl.create_default_context(cafile=str(plane.ca_file)))
        self._token = plane.token

    def ask(self, method: str, path: str, body: Any = _NOTHING, *, headers: Mapping[str, str] | None = None) -> Answer:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **(headers or {})}
        # A new connection each time: other tests of this process may restart the server in between.
        with closing(http.client.HTTPSConnection(self._netloc, timeout=30, context=self._trusted)) as connection:
            connection.request(method, path, content, sent)
            response = connection.getresponse()
            warnings = tuple(response.headers.get_all("Warning") or ())
            answered = response.read()
        # A path that is not served is refused in plain text.
        is_json = "json" in response.headers.get("Content-Type", "")
        return Answer(response.status, decode_json(answered) if is_json else answered.decode(), warnings)

    def make(self, path: str, manifest: Mapping[str, Any]) -> Any:
        answer = self.ask("POST", path, manifest)
        assert answer.status == 201, answer.document
        return answer.document
