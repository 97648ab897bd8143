"""The embedded API server as a process of its own, which a test can kill."""

import signal
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from framework.testing.control_plane.credentials import ADMIN, Credentials
from framework.testing.control_plane.exchange import exchange
from framework.testing.control_plane.kubeconfig import write_kubeconfig
from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.processes import Processes

_NAME = "embedded-apiserver"


class EmbeddedCluster:
    """A cluster whose objects are in SQLite, so that they outlive the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes = Processes(folder)
        # Of the real control plane: its users and their tokens, but no certificates.
        self._credentials = Credentials(folder / "tokens", pki=folder / "no-program")
        self._port = 0

    def __enter__(self) -> Self:
        self._credentials.make()
        self._processes.start_on_free_ports(_NAME, self._command_on_another_port, self._is_ready)
        self._write_kubeconfig(ADMIN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.stop_all(signal.SIGKILL)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._port}"

    @property
    def kubeconfig(self) -> Path:
        return self._kubeconfig_path(ADMIN)

    @property
    def ca_file(self) -> Path:
        return self._folder / "server" / "pki" / "ca.crt"

    @property
    def token(self) -> str:
        return self._credentials.tokens[ADMIN]

    def kubeconfig_for(self, user: str) -> Path:
        return self._write_kubeconfig(user)

    def restart_apiserver(self, how: signal.Signals = signal.SIGTERM) -> None:
        self._processes.stop(_NAME, how)
        self._processes.start(_NAME, self._command())
        self._processes.wait_for(_NAME, self._is_ready)

    def _command_on_another_port(self) -> list[str]:
        self._port = free_port()
        return self._command()

    def _command(self) -> list[str]:
        flags = ["--folder", str(self._folder / "server"), "--port", str(self._port), "--durable", "--no-workloads"]
        tokens = str(self._credentials.token_file)
        return [sys.executable, "-m", "framework.apiserver", *flags, "--token-auth-file", tokens]

    def _is_ready(self) -> bool:
        if not self.ca_file.exists():
            return False
        answer = exchange("GET", f"{self.url}/readyz", token=self.token, ca_file=self.ca_file)
        return answer is not None and answer.is_ok()

    def _kubeconfig_path(self, user: str) -> Path:
        return self._folder / f"{user}.kubeconfig"

    def _write_kubeconfig(self, user: str) -> Path:
        token = {"token": self._credentials.tokens[user]}
        return write_kubeconfig(self._kubeconfig_path(user), server=self.url, ca_file=self.ca_file, user=token)
