"""Whether certificates and keys can be used, told before the first connection and not by it."""

from framework.errors import KubeconfigError

# Everything below imports `cryptography` where it is used: loading it costs a process that has no remote cluster a
# tenth of a second.


def check_authority(pem: bytes, where: str) -> None:
    from cryptography import x509

    try:
        x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise KubeconfigError(where, "holds no certificate in PEM format that can be read") from None


def check_pair(certificate: bytes | None, key: bytes | None, where: str) -> None:
    """Whether *certificate* and *key* are there, readable, and of one piece."""
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if certificate is None or key is None:
        missing = "client-certificate-data" if certificate is None else "client-key-data"
        raise KubeconfigError(f"{where}.{missing}", "is not set; certificate and key belong together")
    try:
        issued = x509.load_pem_x509_certificates(certificate)[0]
    except ValueError:
        raise KubeconfigError(
            f"{where}.client-certificate-data", "holds no certificate in PEM format that can be read"
        ) from None
    try:
        private = load_pem_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KubeconfigError(
            f"{where}.client-key-data", "holds no key in PEM format that can be read without a password"
        ) from None
    if issued.public_key() != private.public_key():
        raise KubeconfigError(f"{where}.client-key-data", "is not the key of client-certificate-data")
