"""Makes certificates. The one module that loads `cryptography`, which takes a tenth of a second."""

from collections.abc import Sequence
from datetime import datetime
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from framework.certificates.key_pair import KeyPair

Lifetime = tuple[datetime, datetime]


def self_signed(common_name: str, lifetime: Lifetime) -> KeyPair:
    """A new authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _subject(common_name, ())
    builder = _certificate(name, name, key.public_key(), lifetime)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(_usage(is_authority=True), critical=True)
    return _signed(builder, key, key)


def server(authority: KeyPair, hosts: Sequence[str], lifetime: Lifetime) -> KeyPair:
    names = x509.SubjectAlternativeName([_host(host) for host in hosts])
    return _issued(authority, _subject(hosts[0], ()), lifetime, ExtendedKeyUsageOID.SERVER_AUTH, names)


def client(authority: KeyPair, common_name: str, organizations: Sequence[str], lifetime: Lifetime) -> KeyPair:
    return _issued(authority, _subject(common_name, organizations), lifetime, ExtendedKeyUsageOID.CLIENT_AUTH)


def _issued(
    authority: KeyPair,
    subject: x509.Name,
    lifetime: Lifetime,
    purpose: x509.ObjectIdentifier,
    names: x509.SubjectAlternativeName | None = None,
) -> KeyPair:
    issuer = x509.load_pem_x509_certificate(authority.certificate)
    issuer_key = serialization.load_pem_private_key(authority.key, password=None)
    if not isinstance(issuer_key, ec.EllipticCurvePrivateKey):
        raise ValueError("the key of the authority is of another kind than this package makes")  # noqa: TRY004 - of a file
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _certificate(subject, issuer.subject, key.public_key(), lifetime)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_usage(is_authority=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    # As the authority says itself: others reckon the identifier of a key in another way.
    identifier = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = builder.add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False
    )
    if names is not None:
        builder = builder.add_extension(names, critical=False)
    return _signed(builder, issuer_key, key)


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, lifetime: Lifetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(lifetime[0])
        .not_valid_after(lifetime[1])
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _signed(
    builder: x509.CertificateBuilder, signing_key: ec.EllipticCurvePrivateKey, own_key: ec.EllipticCurvePrivateKey
) -> KeyPair:
    certificate = builder.sign(signing_key, hashes.SHA256())
    key = own_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), key)


def _subject(common_name: str, organizations: Sequence[str]) -> x509.Name:
    names = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization) for organization in organizations]
    return x509.Name([*names, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
