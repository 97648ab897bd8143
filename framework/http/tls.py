"""TLS of the listener, and who the client is by its certificate."""

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec

from framework.errors import ConfigurationError
from framework.http.exchange import PeerCertificate

# Asked for each connection, so that a certificate can be exchanged while others stay; None: there is none yet.
TlsContexts = Callable[[], ssl.SSLContext | None]


class ServerTls(msgspec.Struct, frozen=True):
    """PEM files; with *client_ca_file*, clients may show a certificate of that authority."""

    certificate_file: Path
    key_file: Path
    client_ca_file: Path | None = None


class LeanTls(SSLProtocol):
    """Asyncio's TLS with a smaller buffer: its own sets 256 KiB aside for each connection, also for a quiet watch."""

    max_size = 32 * 1024


def bare_context() -> ssl.SSLContext:
    """What every server has in common; it lacks a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Clients that offer HTTP/2 first learn here that it has to be HTTP/1.1.
    context.set_alpn_protocols(["http/1.1"])
    return context


def server_context(tls: ServerTls) -> ssl.SSLContext:
    context = bare_context()
    try:
        context.load_cert_chain(tls.certificate_file, tls.key_file)
        if tls.client_ca_file is not None:
            context.load_verify_locations(tls.client_ca_file)
            # Not required: others come with a token, or as nobody.
            context.verify_mode = ssl.CERT_OPTIONAL
    except OSError as error:
        files = ", ".join(str(file) for file in (tls.certificate_file, tls.key_file, tls.client_ca_file) if file)
        raise ConfigurationError(f"cannot serve TLS with {files}: {error}; remove or replace these files") from error
    return context


def peer_certificate(transport: asyncio.BaseTransport) -> PeerCertificate | None:
    """The subject of the certificate that the client has shown and TLS has verified, if it has."""
    connection = transport.get_extra_info("ssl_object")
    certificate = connection.getpeercert() if isinstance(connection, ssl.SSLObject) else None
    if not certificate:
        return None
    # Names of a subject may repeat and come in groups: ((("organizationName", "a"),), (("commonName", "b"),)).
    groups = cast("tuple[tuple[tuple[str, str], ...], ...]", certificate["subject"])
    names = [pair for group in groups for pair in group]
    common_names = [value for name, value in names if name == "commonName"]
    organizations = tuple(value for name, value in names if name == "organizationName")
    return PeerCertificate(common_names[-1], organizations) if common_names else None
