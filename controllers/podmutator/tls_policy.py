"""Which TLS the webhook speaks, by the names that Go programs use for it."""

import ssl
from collections.abc import Mapping

import msgspec

from framework.errors import ConfigurationError
from framework.http.tls import bare_context

_VERSIONS = {"VersionTLS12": ssl.TLSVersion.TLSv1_2, "VersionTLS13": ssl.TLSVersion.TLSv1_3}
_TOO_OLD = ("VersionTLS10", "VersionTLS11")
# Of TLS 1.2: those that Go holds to be secure, and how OpenSSL calls them.
_SUITES = {
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305": "ECDHE-RSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
}
# Always on in TLS 1.3; named beside others they change nothing.
_SUITES_OF_1_3 = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")


class TlsPolicy(msgspec.Struct, frozen=True):
    minimum: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2
    # For OpenSSL; empty: its own choice.
    ciphers: str = ""

    def new_context(self) -> ssl.SSLContext:
        context = bare_context()
        context.minimum_version = self.minimum
        if self.ciphers:
            context.set_ciphers(self.ciphers)
        return context


def tls_policy(environment: Mapping[str, str]) -> TlsPolicy:
    """Of TLS_MIN_VERSION and TLS_CIPHER_SUITES; raises ConfigurationError for what cannot be had."""
    version = environment.get("TLS_MIN_VERSION") or "VersionTLS12"
    if version in _TOO_OLD:
        raise ConfigurationError(f"TLS_MIN_VERSION={version} is not safe any more; use VersionTLS12 or VersionTLS13")
    if version not in _VERSIONS:
        raise ConfigurationError(f"TLS_MIN_VERSION={version} is unknown; use VersionTLS12 or VersionTLS13")
    names = [name for each in environment.get("TLS_CIPHER_SUITES", "").split(",") if (name := each.strip())]
    if not names:
        return TlsPolicy(_VERSIONS[version])
    if version == "VersionTLS13":
        raise ConfigurationError("TLS_CIPHER_SUITES cannot be chosen with TLS_MIN_VERSION=VersionTLS13; leave one out")
    return TlsPolicy(_VERSIONS[version], _ciphers(names))


def _ciphers(names: list[str]) -> str:
    unknown = [name for name in names if name not in _SUITES and name not in _SUITES_OF_1_3]
    if unknown:
        raise ConfigurationError(
            f"TLS_CIPHER_SUITES names {', '.join(unknown)}, which are unknown or unsafe; known: {', '.join(_SUITES)}"
        )
    chosen = dict.fromkeys(_SUITES[name] for name in names if name in _SUITES)
    if not chosen:
        raise ConfigurationError(
            "TLS_CIPHER_SUITES names no suite of TLS 1.2; set TLS_MIN_VERSION=VersionTLS13 instead"
        )
    return ":".join(chosen)
