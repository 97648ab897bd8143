"""Which TLS is spoken."""

import ssl

import pytest

from controllers.podmutator.tls_policy import TlsPolicy, tls_policy
from framework.errors import ConfigurationError

_GCM = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"


def test_1_2_is_the_default() -> None:
    assert tls_policy({}) == TlsPolicy(ssl.TLSVersion.TLSv1_2)
    assert tls_policy({"TLS_MIN_VERSION": "", "TLS_CIPHER_SUITES": ""}) == TlsPolicy(ssl.TLSVersion.TLSv1_2)
    assert tls_policy({"TLS_MIN_VERSION": "VersionTLS12"}).new_context().minimum_version == ssl.TLSVersion.TLSv1_2


def test_1_3_can_be_chosen() -> None:
    context = tls_policy({"TLS_MIN_VERSION": "VersionTLS13"}).new_context()

    assert context.minimum_version == ssl.TLSVersion.TLSv1_3


def test_suites_can_be_chosen_for_1_2() -> None:
    context = tls_policy({"TLS_CIPHER_SUITES": f" {_GCM} ,TLS_AES_128_GCM_SHA256"}).new_context()

    of_1_2 = [each["name"] for each in context.get_ciphers() if each["protocol"] == "TLSv1.2"]
    assert of_1_2 == ["ECDHE-ECDSA-AES128-GCM-SHA256"]


@pytest.mark.parametrize(
    "variables",
    [
        {"TLS_MIN_VERSION": "VersionTLS10"},
        {"TLS_MIN_VERSION": "VersionTLS11"},
        {"TLS_MIN_VERSION": "TLS1.2"},
        {"TLS_CIPHER_SUITES": "TLS_RSA_WITH_RC4_128_SHA"},
        {"TLS_CIPHER_SUITES": f"{_GCM},ECDHE-RSA-AES128-GCM-SHA256"},
        {"TLS_CIPHER_SUITES": "TLS_AES_128_GCM_SHA256"},
        {"TLS_CIPHER_SUITES": _GCM, "TLS_MIN_VERSION": "VersionTLS13"},
    ],
)
def test_what_is_unsafe_unknown_or_contradictory_is_refused_in_one_line(variables: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        tls_policy(variables)

    assert "\n" not in str(refusal.value)
    assert next(iter(variables)) in str(refusal.value)
