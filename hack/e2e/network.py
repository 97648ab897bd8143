"""The network of the pods, and what of the machine is changed for it: a bridge, one rule, a few settings."""

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from hack.e2e.machine import SETTINGS

LINK = "windlass-e2e"
GATEWAY, SUBNET = "10.213.77.1", "10.213.77.0/24"
SERVICE_ADDRESS = "10.96.0.1"


class Network:
    """Pods reach the API server, which stays on loopback, at the address of the service `kubernetes`."""

    def __init__(self, api_server_port: int) -> None:
        match = ["-i", LINK, "-d", SERVICE_ADDRESS, "-p", "tcp", "--dport", "443"]
        self._rule = ["PREROUTING", *match, "-j", "DNAT", "--to-destination", f"127.0.0.1:{api_server_port}"]
        self._settings = {name: Path("/proc/sys", name).read_text() for name in SETTINGS}

    def __enter__(self) -> Self:
        subprocess.run(["ip", "link", "del", LINK], capture_output=True, check=False)
        _run("ip", "link", "add", LINK, "type", "bridge")
        try:
            _run("ip", "address", "add", f"{GATEWAY}/24", "dev", LINK)
            _run("ip", "link", "set", LINK, "up")
            # Of this link alone, and gone with it: packets of pods may be turned to loopback.
            Path("/proc/sys/net/ipv4/conf", LINK, "route_localnet").write_text("1")
            _run("iptables", "-t", "nat", "-I", *self._rule)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        subprocess.run(["iptables", "-t", "nat", "-D", *self._rule], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", LINK], capture_output=True, check=False)
        for name, value in self._settings.items():
            Path("/proc/sys", name).write_text(value)

    @staticmethod
    def write_cni(folder: Path, data: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        bridge = {
            "type": "bridge",
            "bridge": LINK,
            "isGateway": True,
            "ipam": {
                "type": "host-local",
                "dataDir": str(data),
                "ranges": [[{"subnet": SUBNET}]],
                "routes": [{"dst": "0.0.0.0/0"}],
            },
        }
        document = {"cniVersion": "0.4.0", "name": "e2e", "plugins": [bridge]}
        (folder / "10-e2e.conflist").write_text(json.dumps(document))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
