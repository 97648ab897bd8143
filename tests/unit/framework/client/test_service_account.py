from pathlib import Path

import pytest

from framework.client import from_service_account
from framework.client.package_config import incluster_config
from framework.errors import ConfigurationError
from framework.testing.virtual_time import VirtualTime


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a pod finds its service account."""
    (tmp_path / "token").write_text("old\n")
    (tmp_path / "ca.crt").write_text("CA")
    monkeypatch.setattr(incluster_config(), "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(incluster_config(), "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    return tmp_path


def test_address_and_token_are_those_of_the_pod(pod: Path) -> None:
    credentials = from_service_account(clock=VirtualTime().clock)

    assert credentials.address().server == "https://[fd00::1]:443"
    assert credentials.address().ca == b"CA"
    assert credentials.authorization() == "bearer old"


def test_a_rotated_token_is_read_by_a_reload(pod: Path) -> None:
    credentials = from_service_account(clock=VirtualTime().clock)
    (pod / "token").write_text("new\n")

    credentials.reload()

    assert credentials.authorization() == "bearer new"


def test_a_rotated_authority_is_read_by_a_reload(pod: Path) -> None:
    credentials = from_service_account(clock=VirtualTime().clock)
    (pod / "ca.crt").write_text("NEW CA")

    credentials.reload()

    assert credentials.address().ca == b"NEW CA"


@pytest.mark.parametrize("name", ["token", "ca.crt"])
def test_a_missing_file_is_one_clear_line(pod: Path, name: str) -> None:
    (pod / name).unlink()

    with pytest.raises(ConfigurationError, match=r"^in-cluster service account: .* does not exist\.$"):
        from_service_account(clock=VirtualTime().clock)


def test_a_pod_without_the_address_is_one_clear_line(pod: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_PORT")

    with pytest.raises(ConfigurationError, match=r"^in-cluster service account: Service host/port is not set\.$"):
        from_service_account(clock=VirtualTime().clock)
