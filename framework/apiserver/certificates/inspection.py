"""Whether certificates in files are fit for use.

Judged by a TLS handshake in memory: it takes two milliseconds, proves that the
files are whole and fit each other, and needs no library but TLS itself.
"""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from framework.certificates.key_pair import KeyPairFiles

_MAX_FLIGHTS = 10
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
Names = frozenset[tuple[str, str]]


def is_authority(files: KeyPairFiles, *, until: datetime) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_cert_chain(files.certificate_file, files.key_file)
        context.load_verify_locations(files.certificate_file)
    except OSError:
        return False
    certificates = context.get_ca_certs()
    return len(certificates) == 1 and _is_valid(certificates[0], until)


def is_server_of(ca_file: Path, files: KeyPairFiles, hosts: Sequence[str], *, until: datetime) -> bool:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        client.load_verify_locations(ca_file)
        server.load_cert_chain(files.certificate_file, files.key_file)
        shown, _ = _handshake(client, server)
    except OSError:
        return False
    return _is_valid(shown, until) and {_host(host) for host in hosts} <= set(shown.get("subjectAltName", ()))


def is_client_of(
    ca_file: Path, files: KeyPairFiles, common_name: str, organizations: Sequence[str], *, until: datetime
) -> bool:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.verify_mode = ssl.CERT_REQUIRED
    try:
        server.load_verify_locations(ca_file)
        # Any will do for the server's side of it.
        server.load_cert_chain(files.certificate_file, files.key_file)
        client.load_cert_chain(files.certificate_file, files.key_file)
        _, shown = _handshake(client, server)
    except OSError:
        return False
    subject = sorted(pair for group in shown["subject"] for pair in group)
    expected = sorted([("commonName", common_name), *(("organizationName", name) for name in organizations)])
    return _is_valid(shown, until) and subject == expected


def _handshake(client: ssl.SSLContext, server: ssl.SSLContext) -> tuple[Any, Any]:
    """The certificates that the client and the server get to see; raises an SSLError if they do not get that far."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)]
    waiting = list(sides)
    for _ in range(_MAX_FLIGHTS):
        for side in list(waiting):
            try:
                side.do_handshake()
                waiting.remove(side)
            except ssl.SSLWantReadError:
                continue
        if not waiting:
            return sides[0].getpeercert(), sides[1].getpeercert()
    raise ssl.SSLError("the handshake does not come to an end")


def _is_valid(certificate: Any, until: datetime) -> bool:
    # As in "Nov 17 08:35:00 2027 GMT". Read by hand: strptime takes longer to load than the handshake takes.
    month, day, time, year, _ = certificate["notAfter"].split()
    hour, minute, second = time.split(":")
    end = datetime(int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    return end >= until


def _host(host: str) -> tuple[str, str]:
    try:
        address = ip_address(host)
    except ValueError:
        return ("DNS", host)
    # As OpenSSL writes them: 0:0:0:0:0:0:0:1.
    text = ":".join(f"{int(part, 16):X}" for part in address.exploded.split(":")) if address.version == 6 else host  # noqa: PLR2004
    return ("IP Address", text)
