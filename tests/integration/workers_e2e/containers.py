"""The containers of a pod, run on this machine: its volumes are folders, its image is this program."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key
from framework.client import Client
from framework.errors import NotFound

_MODE = "-mode="
_LONGEST_STEP_SECONDS = 120


class Ended(msgspec.Struct, frozen=True):
    name: str
    exit_code: int
    message: str
    # Beside what the controller reads: for who looks for secrets in it.
    output: str


class PodFolder:
    """Where one pod is run; *programs* are files of its image, by their path there."""

    def __init__(self, folder: Path, pod: Mapping[str, Any], client: Client, programs: Mapping[str, Path]) -> None:
        self._folder, self._pod, self._client, self._programs = folder, pod, client, programs
        self._namespace = str(pod["metadata"]["namespace"])

    def prepare(self) -> None:
        """Raise NotFound while something that is to be mounted is not there, as a kubelet waits for it."""
        for volume in self._pod["spec"].get("volumes", ()):
            path = self._path(volume["name"])
            path.mkdir(parents=True, exist_ok=True)
            for source in _sources(volume):
                self._write(path, source)

    def run(self, container: Mapping[str, Any]) -> Ended:
        mounts = {mount["mountPath"]: self._path(mount["name"]) for mount in container.get("volumeMounts", ())}
        log = self._folder / f"{container['name']}.termination"
        log.write_bytes(b"")
        arguments = [self._mapped(argument, mounts) for argument in container.get("args", ())]
        assert any(argument.startswith(_MODE) for argument in arguments), f"not of this program: {arguments}"
        done = subprocess.run(
            [sys.executable, "-m", "controllers", *arguments, f"-termination-log={log}"],
            env=self._environment(container, mounts),
            cwd=Path(__file__).resolve().parents[3],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_LONGEST_STEP_SECONDS,
            check=False,
        )
        return Ended(container["name"], done.returncode, log.read_text(), done.stdout)

    def _environment(self, container: Mapping[str, Any], mounts: Mapping[str, Path]) -> dict[str, str]:
        given = {each["name"]: self._mapped(each.get("value", ""), mounts) for each in container.get("env", ())}
        inherited = {name: os.environ[name] for name in ("PATH", "PYTHONPYCACHEPREFIX") if name in os.environ}
        temporary = mounts.get("/tmp", self._folder)  # noqa: S108 - a path in the pod
        return {**inherited, "TMPDIR": str(temporary), **given}

    def _mapped(self, text: str, mounts: Mapping[str, Path]) -> str:
        """A path in the pod, after an equals sign or alone, as the path here."""
        before, equals, value = text.partition("=") if text.startswith("-") else ("", "", text)
        places = {**mounts, **self._programs}
        for inside, here in places.items():
            if value == inside or value.startswith(f"{inside}/"):
                value = f"{here}{value.removeprefix(inside)}"
                break
        return f"{before}{equals}{value}"

    def _path(self, volume: str) -> Path:
        return self._folder / volume

    def _write(self, folder: Path, source: Mapping[str, Any]) -> None:
        try:
            data = self._data(source)
        except NotFound:
            if not source.get("optional"):
                raise
            return
        wanted = {item["key"]: item["path"] for item in source.get("items", ())} or {key: key for key in data}
        for key, path in wanted.items():
            if key in data:
                (folder / path).write_bytes(data[key])

    def _data(self, source: Mapping[str, Any]) -> dict[str, bytes]:
        key = Key(self._namespace, source["name"])
        if source["of"] == "secret":
            secret = self._client.get(Secret, key)
            return {name: bytes(value) for name, value in secret.data.items()}
        return {name: value.encode() for name, value in self._client.get(ConfigMap, key).data.items()}


def _sources(volume: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Secrets and ConfigMaps of a volume, in one shape."""
    if "projected" in volume:
        return [
            {**source[of], "of": of}
            for source in volume["projected"]["sources"]
            for of in ("secret", "configMap")
            if of in source
        ]
    if "secret" in volume:
        return [{**volume["secret"], "name": volume["secret"]["secretName"], "of": "secret"}]
    return [{**volume["configMap"], "of": "configMap"}] if "configMap" in volume else []
