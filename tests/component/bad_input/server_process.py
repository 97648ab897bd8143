"""A server in a process of its own, so that its memory can be measured."""

import os
import ssl
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import yaml

from framework.testing.tls import for_mortal_servers
from tests.conformance.api import Api

_TOKEN = "bad-input"
_KIBIBYTE = 1024


class ServerProcess:
    """Between enter and exit; *arguments* are those of `python -m framework.apiserver`."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._folder = folder
        self._arguments = arguments

    def __enter__(self) -> Self:
        tokens = self._folder / "tokens.csv"
        tokens.write_text(f'{_TOKEN},tester,1,"system:masters"\n')
        command = [sys.executable, "-m", "framework.apiserver", "--folder", str(self._folder), "--no-workloads"]
        command += ["--token-auth-file", str(tokens), *self._arguments]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
        )
        assert self._process.stdout is not None
        self._kubeconfig = Path(self._process.stdout.readline().strip())
        cluster = yaml.safe_load(self._kubeconfig.read_text())["clusters"][0]["cluster"]
        self.url: str = cluster["server"]
        self.port = urlsplit(self.url).port or 0
        self.ca_file = self._folder / "pki" / "ca.crt"
        self.headers = {"Authorization": f"Bearer {_TOKEN}"}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        _, self.log = self._process.communicate(timeout=30)

    def api(self) -> Api:
        return Api("embedded", self.url, ca_file=self.ca_file, headers=self.headers)

    def tls(self) -> ssl.SSLContext:
        return for_mortal_servers(ssl.create_default_context(cafile=str(self.ca_file)))

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def forget_peak(self) -> int:
        """Begin to measure anew; returns the bytes that are in use now."""
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")
        return self._status("VmRSS")

    def peak(self) -> int:
        """The most bytes that were in use at any time since."""
        return self._status("VmHWM")

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _status(self, name: str) -> int:
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * _KIBIBYTE for line in lines if line.startswith(f"{name}:"))
