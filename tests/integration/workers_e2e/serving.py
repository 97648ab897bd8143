"""What the pods of an account would serve: their image is pulled and unpacked, and its own workerd is asked."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from apis.core.v1 import Secret
from apis.meta import Key
from framework.client import Client
from framework.errors import NotFound
from tests.integration.workers_build.registry import Registry
from tests.integration.workers_build.running import Running, running, unpack

_SOCKET = re.compile(r'\( name = "([^"]+)", address = "\*:(\d+)", http')
_LONGEST_NAME = 40


class _SecretSource(msgspec.Struct):
    name: str
    optional: bool = False


class _EnvSource(msgspec.Struct, rename="camel"):
    secret_ref: _SecretSource
    prefix: str = ""


class _Port(msgspec.Struct, rename="camel"):
    container_port: int


class _Container(msgspec.Struct, rename="camel"):
    image: str
    ports: list[_Port] = []
    env_from: list[_EnvSource] = []


class _PodSpec(msgspec.Struct):
    containers: list[_Container]


class _Template(msgspec.Struct):
    spec: _PodSpec


class _DeploymentSpec(msgspec.Struct):
    template: _Template


class _Deployment(msgspec.Struct):
    spec: _DeploymentSpec


class Served:
    """The pod template of a Deployment."""

    def __init__(self, client: Client, key: Key) -> None:
        path = f"/apis/apps/v1/namespaces/{key.namespace}/deployments/{key.name}"
        deployment = msgspec.json.decode(client.raw_get(path), type=_Deployment)
        self._container = deployment.spec.template.spec.containers[0]
        self._client, self._namespace = client, key.namespace

    @property
    def image(self) -> str:
        return self._container.image

    @property
    def ports(self) -> list[int]:
        return [port.container_port for port in self._container.ports]

    @property
    def digest(self) -> str:
        return self.image.partition("@")[2]

    @property
    def repository(self) -> str:
        """Without the registry's host, the tag and the digest."""
        return self.image.partition("/")[2].partition("@")[0].partition(":")[0]

    @property
    def variables(self) -> dict[str, str]:
        """As a kubelet would set them."""
        return {
            f"{source.prefix}{name}": value.decode()
            for source in self._container.env_from
            for name, value in self._values(source).items()
        }

    @contextmanager
    def running(self, registry: Registry, folder: Path) -> Iterator[Running]:
        """The image at work; a worker is asked by its port of the pod, as text."""
        root = self.unpacked(registry, folder)
        config = root / "worker" / "config.capnp"
        sockets = dict(_SOCKET.findall(config.read_text()))
        assert sorted(sockets.values()) == sorted(map(str, self.ports)), "the image and the Deployment disagree"
        workerd = root / "usr" / "local" / "bin" / "workerd"
        with running(workerd, config, dict.fromkeys(sockets, 0), self.variables) as started:
            yield Running({sockets[name]: port for name, port in started.ports.items()})

    def unpacked(self, registry: Registry, folder: Path) -> Path:
        root = folder / self.digest.removeprefix("sha256:")[:_LONGEST_NAME]
        if not root.exists():
            unpack(registry, self.repository, self.digest, root)
        return root

    def _values(self, source: _EnvSource) -> dict[str, bytes]:
        try:
            return self._client.get(Secret, Key(self._namespace, source.secret_ref.name)).data
        except NotFound:
            assert source.secret_ref.optional, f"the pods would not start without {source.secret_ref.name}"
            return {}
