"""The objects on the hub: a catalogue, Clusters, Instances."""

import base64
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from apis.laf.bundle import Bundle
from apis.laf.cluster import Cluster
from apis.laf.instance import Instance
from apis.laf.runtime import Runtime
from apis.meta import Key, Unstructured, resource_type_of
from framework.client import Client
from hack.bench.laf.fleet import Server
from hack.bench.laf.sizes import Sizes
from hack.bench.objects import create_namespace

SYSTEM = "laf-system"
REGION = "east"
_THREADS = 2
_BUNDLE = {
    "displayName": "Small",
    "requestCPU": "250m",
    "requestMemory": "128Mi",
    "limitCPU": "1",
    "limitMemory": "512Mi",
    "databaseCapacity": "2Gi",
    "storageCapacity": "2Gi",
    "networkTrafficOutbound": "5Gi",
    "priority": 20,
}
_RUNTIME = {
    "type": "node:laf",
    "image": {"main": "registry.example/app:1.0", "init": "registry.example/app-init:1.0"},
    "version": {"version": "1.0"},
}


class Population:
    def __init__(self, client: Client, sizes: Sizes) -> None:
        self._client = client
        self._sizes = sizes
        self.instances = [key_of(number, sizes.tenants) for number in range(sizes.instances)]

    def create_surroundings(self, remotes: Iterable[Server]) -> None:
        """All but the Instances."""
        create_namespace(self._client, SYSTEM)
        for number in range(self._sizes.tenants):
            create_namespace(self._client, _tenant(number))
        self._create(Bundle, Key(SYSTEM, "small"), _BUNDLE)
        self._create(Runtime, Key(SYSTEM, "node18"), _RUNTIME)
        for remote in remotes:
            config = base64.b64encode(remote.kubeconfig.encode()).decode()
            self._create(Cluster, Key(SYSTEM, remote.name), {"region": REGION, "clientConfig": config})

    def create_instances(self) -> None:
        in_threads(self._create_instance, self.instances)

    def scale(self, key: Key, replicas: int) -> None:
        self._client.merge_patch(Instance, key, {"spec": {"replica": replicas}})

    def _create_instance(self, key: Key) -> None:
        spec = {"region": REGION, "appid": key.name, "bundle": "small", "runtime": "node18"}
        self._create(Instance, key, spec)

    def _create(self, kind: type[Any], key: Key, spec: dict[str, Any]) -> None:
        metadata = {"name": key.name, "namespace": key.namespace}
        self._client.create(Unstructured(content={"metadata": metadata, "spec": spec}), kind=resource_type_of(kind))


def key_of(number: int, tenants: int) -> Key:
    return Key(_tenant(number % tenants), f"app-{number:05}")


def in_threads(act: Callable[[Key], object], keys: Iterable[Key]) -> None:
    with ThreadPoolExecutor(_THREADS) as pool:
        for _ in pool.map(act, keys):
            pass


def _tenant(number: int) -> str:
    return f"tenant-{number:02}"
