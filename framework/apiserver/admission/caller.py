"""Calls a webhook over TLS."""

from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from framework.apiserver.admission.calling import Called, CallFailed, ResolveService
from framework.apiserver.admission.client_config import ClientConfig, Service, client_of
from framework.apiserver.objects import Object
from framework.apiserver.spelling import spelled_string
from framework.client import ClusterAddress, HttpRequest, HttpResponse, Timeouts
from framework.client.curl import CurlTransport
from framework.clock import Clock
from framework.errors import ConnectError, TimedOut, TlsError, TransportError
from framework.runtime import Runtime

_HEADERS = ("Content-Type: application/json", "Accept: application/json, */*", "Expect:")
_MOST_TRANSPORTS = 30
_HTTPS_PORT = 443
_FIRST_OK, _LAST_OK, _FIRST_SERVER_ERROR = 200, 206, 500
_MOST_QUOTED_BYTES = 2048
_WITHOUT_WORDS = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}


class _Target(NamedTuple):
    address: ClusterAddress
    path: str
    # As messages spell it, without the query.
    url: str


class _Status(msgspec.Struct):
    kind: str = ""
    message: str = ""


class CurlCaller:
    """Keeps connections; a webhook's certificate must be good for the name in its URL, or that of its service."""

    def __init__(self, *, clock: Clock, runtime: Runtime, resolve_service: ResolveService) -> None:
        self._clock = clock
        self._runtime = runtime
        self._resolve_service = resolve_service
        self._lock = runtime.lock()
        self._transports: dict[ClusterAddress, CurlTransport] = {}

    def call(self, webhook: Called, body: bytes) -> bytes:
        return self._post(webhook.client, body, webhook.timeout_seconds)

    def call_client(self, client_config: Object, body: bytes, timeout_seconds: int) -> bytes:
        """As `call`, for a clientConfig that stands somewhere else, e.g. in a CustomResourceDefinition."""
        return self._post(client_of(client_config), body, timeout_seconds)

    def close(self) -> None:
        with self._lock:
            transports, self._transports = list(self._transports.values()), {}
        for transport in transports:
            transport.close()

    def _post(self, client: ClientConfig, body: bytes, seconds: float) -> bytes:
        service = client.service
        target = _url_target(client) if service is None else self._service_target(service, client.ca, seconds)
        limits = Timeouts(seconds, seconds, seconds, seconds)
        request = HttpRequest("POST", f"{target.path}?timeout={seconds:g}s", _HEADERS, body, limits)
        try:
            response = self._transport(target.address).exchange(request)
        except TransportError as error:
            raise CallFailed(f"{posting(target.url, seconds)}: {_in_go(error, target)}") from None
        return good_body(response)

    def _service_target(self, service: Service, ca: bytes, seconds: float) -> _Target:
        name, path = f"{service.name}.{service.namespace}.svc", _path(service.path)
        url = f"https://{name}:{service.port}{path}"
        found = self._resolve_service(service.namespace, service.name, service.port)
        if found is None:
            missing = f"service {spelled_string(service.name)} not found"
            raise CallFailed(f"{posting(url, seconds)}: {missing}")
        host, port = found
        server = f"https://{f'[{host}]' if ':' in host else host}:{port}"
        return _Target(ClusterAddress(server, ca=ca or None, tls_server_name=name), path, url)

    def _transport(self, address: ClusterAddress) -> CurlTransport:
        retired = None
        with self._lock:
            transport = self._transports.get(address)
            if transport is None:
                if len(self._transports) >= _MOST_TRANSPORTS:
                    retired = self._transports.pop(next(iter(self._transports)))
                transport = CurlTransport(address, clock=self._clock, runtime=self._runtime)
                self._transports[address] = transport
        if retired is not None:
            retired.close()
        return transport


def _url_target(client: ClientConfig) -> _Target:
    parts = urlsplit(client.url)
    if parts.scheme != "https" or not parts.hostname:
        raise CallFailed("webhook configuration must have either service or URL")
    path = _path(parts.path)
    server = f"https://{parts.netloc}"
    return _Target(ClusterAddress(server, ca=client.ca or None), path, f"{server}{path}")


def _path(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"


def posting(url: str, seconds: float) -> str:
    return f"Post {spelled_string(f'{url}?timeout={seconds:g}s')}"


def _in_go(error: TransportError, target: _Target) -> str:
    """The failures that people meet, in the words of the real server; others in those of libcurl."""
    host = urlsplit(target.address.server)
    place = f"{host.hostname}:{host.port or _HTTPS_PORT}"
    text = str(error).lower()
    if isinstance(error, TimedOut) or "timed out" in text or "timeout" in text:
        return "context deadline exceeded"
    if isinstance(error, TlsError):
        name = target.address.tls_server_name or host.hostname
        is_name_wrong = "subject name" in text or "host name" in text
        why = f"certificate is not valid for {name}" if is_name_wrong else "certificate signed by unknown authority"
        return f"tls: failed to verify certificate: x509: {why}"
    if isinstance(error, ConnectError) and "resolve host" in text:
        return f"dial tcp: lookup {host.hostname}: no such host"
    if isinstance(error, ConnectError) and "connect to server" in text:
        return f"dial tcp {place}: connect: connection refused"
    return str(error)


def good_body(response: HttpResponse) -> bytes:
    if not _FIRST_OK <= response.status <= _LAST_OK:
        raise CallFailed(_refusal(response))
    if not response.body:
        kind = response.headers.get("content-type", "application/json")
        raise CallFailed(f"0-length response with status code: {response.status} and content type: {kind}")
    return response.body


def _refusal(response: HttpResponse) -> str:
    code = response.status
    try:
        status = msgspec.json.decode(response.body, type=_Status)
    except msgspec.DecodeError:
        status = _Status()
    if status.kind == "Status" and status.message:
        return status.message
    is_text = response.headers.get("content-type", "").startswith("text/")
    said = response.body[:_MOST_QUOTED_BYTES].decode("utf-8", "replace").strip() if is_text else "unknown"
    if code in _WITHOUT_WORDS:
        return _WITHOUT_WORDS[code]
    if code in {403, 406, 415}:
        return said
    if code >= _FIRST_SERVER_ERROR:
        return f"an error on the server ({spelled_string(said)}) has prevented the request from succeeding"
    return f"the server responded with the status code {code} but did not return more information"
