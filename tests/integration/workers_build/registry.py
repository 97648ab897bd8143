"""A real registry: the program of Debian's package docker-registry, on a port of loopback, with a folder of its own."""

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import requests
import yaml

from framework.testing.control_plane.process import Process
from framework.testing.control_plane.waiting import wait_until
from tests.integration.workers_build.parts import registry_program

_START_SECONDS = 60.0
_LISTENING = 'msg="listening on '
_ANY_MANIFEST = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json"


class Registry:
    """Ended by `close`, and at the latest with this process."""

    def __init__(self, folder: Path, *, deletes: bool = True, auth: Mapping[str, Any] | None = None) -> None:
        config = {
            "version": "0.1",
            "log": {"level": "info"},
            "storage": {
                "filesystem": {"rootdirectory": str(folder / "data")},
                "delete": {"enabled": deletes},
                "maintenance": {"uploadpurging": {"enabled": False}},
            },
            "http": {"addr": "127.0.0.1:0", "secret": "of-the-test"},
            **({"auth": dict(auth)} if auth else {}),
        }
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yml").write_text(yaml.safe_dump(config))
        command = [str(registry_program()), "serve", str(folder / "config.yml")]
        self._process = Process("docker-registry", command, log=folder / "registry.log")
        assert wait_until(self._has_begun, limit_seconds=_START_SECONDS), self._process.tail()
        self.host = self._process.output().partition(_LISTENING)[2].partition('"')[0]

    def _has_begun(self) -> bool:
        assert self._process.is_running(), self._process.tail()
        return '"' in self._process.output().partition(_LISTENING)[2]

    def close(self) -> None:
        self._process.stop(signal.SIGKILL)

    def times_asked(self, method: str) -> int:
        """How many it has answered, by its own log."""
        return self._process.output().count(f'"{method} /v2/')

    # What is in it, asked past our own client.

    def manifest(self, repository: str, name: str) -> requests.Response:
        url = f"http://{self.host}/v2/{repository}/manifests/{name}"
        return requests.get(url, headers={"Accept": _ANY_MANIFEST}, timeout=30)

    def document(self, repository: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.json.decode(self.manifest(repository, name).content)
        return found

    def blob(self, repository: str, digest: str) -> bytes:
        answer = requests.get(f"http://{self.host}/v2/{repository}/blobs/{digest}", timeout=60)
        answer.raise_for_status()
        return answer.content

    def config(self, repository: str, name: str) -> dict[str, Any]:
        digest = self.document(repository, name)["config"]["digest"]
        found: dict[str, Any] = msgspec.json.decode(self.blob(repository, digest))
        return found
