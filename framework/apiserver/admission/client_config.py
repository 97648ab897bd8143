"""Where a webhook is, and who vouches for it."""

import base64
import binascii

import msgspec

from framework.apiserver.objects import Object

_HTTPS_PORT = 443


class Service(msgspec.Struct, frozen=True):
    namespace: str
    name: str
    port: int
    path: str


class ClientConfig(msgspec.Struct, frozen=True):
    """Where a webhook is: *url*, or a *service*; *ca* is PEM, empty for that of the system."""

    url: str
    service: Service | None
    ca: bytes


def client_of(document: Object) -> ClientConfig:
    """*document* is a WebhookClientConfig."""
    ca = _decoded(document.get("caBundle") or "")
    service = document.get("service")
    if service is None:
        return ClientConfig(document.get("url") or "", None, ca)
    port = service.get("port") or _HTTPS_PORT
    return ClientConfig("", Service(service["namespace"], service["name"], port, service.get("path") or ""), ca)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except binascii.Error:
        # Refused by validation; should one be there all the same, nobody is trusted for it.
        return b"no certificate"
