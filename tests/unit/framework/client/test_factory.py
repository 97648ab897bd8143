from typing import Any

import pytest
import structlog

from framework.client import ClusterAddress, StaticCredentials, connect
from framework.errors import ConfigurationError

PEM = b"-----BEGIN CERTIFICATE-----"


@pytest.mark.parametrize(
    ("material", "reason"),
    [
        ({"certificate": PEM}, "client certificate and client key must be given together"),
        ({"key": PEM}, "client certificate and client key must be given together"),
        ({"ca": b""}, "the CA is not in PEM format"),
        ({"ca": b"\x30\x82"}, "the CA is not in PEM format"),
        ({"certificate": b"x", "key": PEM}, "the client certificate is not in PEM format"),
        ({"certificate": PEM, "key": b"x"}, "the client key is not in PEM format"),
    ],
)
def test_certificates_that_cannot_work_are_refused_before_the_first_request(
    material: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ConfigurationError, match=f"https://server: {reason}"):
        connect(StaticCredentials(ClusterAddress("https://server", **material)))


def test_certificates_for_plain_http_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="http://server is plain HTTP"):
        connect(StaticCredentials(ClusterAddress("http://server", ca=PEM)))


def test_verification_that_is_off_is_said_aloud() -> None:
    with structlog.testing.capture_logs() as logged:
        connect(StaticCredentials(ClusterAddress("https://server", verify=False)))

    assert [(entry["log_level"], entry["server"]) for entry in logged] == [("warning", "https://server")]


def test_verification_that_is_on_needs_no_word() -> None:
    with structlog.testing.capture_logs() as logged:
        connect(StaticCredentials(ClusterAddress("https://server")))

    assert logged == []
