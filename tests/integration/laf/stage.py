"""What the tests of one module share: hub, remote, a system namespace, and the process that hosts the controllers."""

import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from framework.errors import WindlassError
from framework.testing.relay import Relay
from tests.cluster import Cluster
from tests.integration.laf.server import Server
from tests.integration.requeststate.processes import Process, Windlass

_TAIL_CHARACTERS = 20_000


class Stage:
    """Its objects on the remote carry a hub id of its own: what another module left there is foreign."""

    def __init__(self, hub: Cluster, remote: Cluster, folder: Path) -> None:
        self.id = uuid.uuid4().hex[:6]
        self.folder = folder
        self.hub, self.remote = Server(hub), Server(remote)
        self.system = f"laf-system-{self.id}"
        self.hub_id = f"hub-{self.id}"
        # What must be in no log and in no object that a tenant can read.
        self.secrets: set[str] = {hub.token, remote.token}
        # Between our processes and the hub; tests themselves go past it.
        self.hub_relay = Relay(hub.url, ca_file=hub.ca_file)
        self._kubeconfig = self.hub_relay.kubeconfig(folder, hub.token)
        self._windlass = Windlass(folder, hub.kubeconfig, self.system)
        self._processes: list[Process] = []
        self.hub.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.system}})

    def start(self, *flags: str, leads: bool = True) -> Process:
        """A process of -mode=manager with all controllers of laf that works by now; with *leads* it holds the Lease."""
        where = (
            f"-kubeconfig={self._kubeconfig}",
            f"-system-namespace={self.system}",
            f"-hub-id={self.hub_id}",
            "-probe-period=1s",
        )
        election = f"-leader-elect={str(leads).lower()}"
        process = self._windlass.start_bare("-mode=manager", "-controllers=laf", *where, election, *flags)
        self._processes.append(process)
        process.wait_for_log("leading" if leads else "controller_started")
        return process

    def said_lately(self) -> str:
        """The end of what each process that runs has said."""
        running = [process for process in self._processes if process.is_running()]
        return "\n".join(f"--- {process.name}\n{process.stderr[-_TAIL_CHARACTERS:]}" for process in running)

    def assert_logs_keep_secrets(self) -> None:
        for process in self._processes:
            said = process.stdout + process.stderr
            assert_keeps(self.secrets, said, f"the log of {process.name}")

    def close(self) -> None:
        self._windlass.end()
        self.hub_relay.close()
        for kind in ("CreationForm", "Application", "Instance", "Cluster", "Bundle", "Runtime"):
            self.hub.wipe(kind, self.system)
        with suppress(WindlassError):
            self.hub.delete("Namespace", self.system)
        self.hub.close()
        self.remote.close()
        self.assert_logs_keep_secrets()


def assert_keeps(secrets: Iterable[str], text: str, where: str) -> None:
    for secret in secrets:
        at = text.find(secret)
        # Not the secret itself: what a test says is a log too.
        assert at < 0, f"a secret of {len(secret)} characters is in {where} after {text[max(0, at - 80) : at]!r}"


def conditions_of(obj: dict[str, Any]) -> dict[str, str]:
    """`Ready: "False/NotPlaced"`."""
    told = obj.get("status", {}).get("conditions", [])
    return {each["type"]: f"{each['status']}/{each['reason']}" for each in told}
