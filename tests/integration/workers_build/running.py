"""workerd at work on an image that was pulled and unpacked."""

import gzip
import io
import os
import socket
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import requests

from tests.integration.workers_build.registry import Registry


def unpack(registry: Registry, repository: str, name: str, folder: Path) -> Path:
    """The file system that a container of the image would see."""
    for layer in registry.document(repository, name)["layers"]:
        content = gzip.decompress(registry.blob(repository, layer["digest"]))
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            tar.extractall(folder, filter="data")
    return folder


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Running:
    def __init__(self, ports: Mapping[str, int]) -> None:
        self.ports = ports

    def ask(self, worker: str, path: str = "/") -> requests.Response:
        return requests.get(f"http://127.0.0.1:{self.ports[worker]}{path}", timeout=30)

    def text(self, worker: str, path: str = "/") -> str:
        return self.ask(worker, path).text


@contextmanager
def running(
    workerd: Path, config: Path, ports: Mapping[str, int], environment: Mapping[str, str] | None = None
) -> Iterator[Running]:
    """*ports* of 0 are any free ones; all are on loopback, whatever the configuration says."""
    read_end, write_end = os.pipe()
    overrides = [argument for name, port in ports.items() for argument in ("-s", f"{name}=127.0.0.1:{port}")]
    process = subprocess.Popen(
        [workerd, "serve", config, *overrides, f"--control-fd={write_end}"],
        env=dict(environment or {}),
        pass_fds=(write_end,),
        stdin=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as control:
            # One line for each socket; fewer only if workerd ended.
            events = [msgspec.json.decode(line) for _, line in zip(ports, control, strict=False)]
            assert len(events) == len(ports), "workerd did not start"
            yield Running({event["socket"]: event["port"] for event in events})
    finally:
        process.kill()
        process.wait()
