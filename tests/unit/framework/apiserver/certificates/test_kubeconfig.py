"""The kubeconfig of a server."""

import stat
from pathlib import Path

from framework.apiserver.certificates import Authority, client_certificate, write_kubeconfig
from framework.client import from_kubeconfig
from framework.clock import SystemClock

CLOCK = SystemClock()


def test_kubeconfig_stands_alone(tmp_path: Path) -> None:
    authority = Authority.create(clock=CLOCK)
    pair = authority.issue_client("jane")
    user = client_certificate(pair)

    path = write_kubeconfig(
        tmp_path / "new" / "config", server="https://127.0.0.1:1", ca=authority.certificate, user=user
    )

    address = from_kubeconfig(str(path), clock=CLOCK).address()
    assert (address.server, address.ca) == ("https://127.0.0.1:1", authority.certificate)
    assert (address.certificate, address.key) == (pair.certificate, pair.key)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_kubeconfig_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("old")
    old = path.open()

    write_kubeconfig(path, server="http://127.0.0.1:1", ca=None, user={"token": "t"})

    assert old.read() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["config"]
    old.close()
