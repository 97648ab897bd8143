"""What certificates say. Loads `cryptography`."""

from datetime import datetime
from ipaddress import ip_address

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization

from framework.certificates.key_pair import KeyPair


class Facts(msgspec.Struct, frozen=True):
    not_before: datetime
    not_after: datetime
    # Names as they are, addresses in their shortest spelling.
    hosts: frozenset[str]


def facts_of(certificate: bytes) -> Facts:
    """Of the first certificate in *certificate*, PEM; raises ValueError if there is none."""
    parsed = x509.load_pem_x509_certificate(certificate)
    try:
        names = parsed.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        hosts: frozenset[str] = frozenset()
    else:
        addresses = (str(address) for address in names.get_values_for_type(x509.IPAddress))
        hosts = frozenset([*names.get_values_for_type(x509.DNSName), *addresses])
    return Facts(parsed.not_valid_before_utc, parsed.not_valid_after_utc, hosts)


def is_pair(pair: KeyPair) -> bool:
    """Whether both can be read, and the key is that of the certificate."""
    try:
        certificate = x509.load_pem_x509_certificate(pair.certificate)
        key = serialization.load_pem_private_key(pair.key, password=None)
    except (ValueError, TypeError):
        return False
    return key.public_key() == certificate.public_key()


def is_issued_by(certificate: bytes, authority: bytes) -> bool:
    try:
        issuer = x509.load_pem_x509_certificate(authority)
        x509.load_pem_x509_certificate(certificate).verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def spelled(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return host
