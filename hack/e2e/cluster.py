"""A control plane that pods of this machine can speak to."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from framework.certificates import signing
from framework.certificates.key_pair import KeyPair, KeyPairFiles
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane, find_binaries
from hack.e2e.network import SERVICE_ADDRESS

_HOSTS = ("127.0.0.1", SERVICE_ADDRESS, "localhost", "kubernetes.default.svc")


def control_plane(binaries: Path, folder: Path) -> ControlPlane:
    """With a certificate for the address at which pods look for the API server."""
    keys = folder / "pki"
    keys.mkdir(parents=True, mode=0o700)
    subprocess.run([str(binaries / "pki"), "init", str(keys)], check=True, capture_output=True)
    authority = KeyPair((keys / "ca.crt").read_bytes(), (keys / "ca.key").read_bytes())
    now = SystemClock().now()
    serving = signing.server(authority, _HOSTS, (now - timedelta(minutes=5), now + timedelta(days=1)))
    KeyPairFiles(keys / "apiserver.crt", keys / "apiserver.key").write(serving)
    return ControlPlane(binaries, folder, controller_manager=True, scheduler=True)


def seconds_between(earlier: str, later: str) -> float:
    """Of two times as the API writes them."""
    first, second = (datetime.strptime(each, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC) for each in (earlier, later))
    return (second - first).total_seconds()


__all__ = ["control_plane", "find_binaries", "seconds_between"]
