"""A hub and a remote cluster behind a relay, kubeconfigs for them, and a manager of the hub."""

import base64
import json
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.apiserver.certificates import Authority, KeyPairFiles
from framework.apiserver.certificates.folder import SERVER_HOSTS
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.clusters import ClusterOptions, InlineCredentials, RemoteCluster, credentials_from_kubeconfig
from framework.informers import InformerOptions
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.runtime import ThreadRuntime
from framework.store import Change
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay
from tests.cluster import Cluster

# Short, so that a test need not wait for what a process does in ten seconds.
OPTIONS = ClusterOptions(connect_seconds=2.0, request_seconds=2.0, retry_seconds=0.3, probe_seconds=0.5)
LIMIT_SECONDS = 30.0


class World:
    """Whatever a test makes carries the label `test=<label>`, so that tests do not see each other."""

    def __init__(self, hub: Cluster, remote: Cluster, folder: Path) -> None:
        self.hub = hub
        self.remote = remote
        self.label = uuid.uuid4().hex[:10]
        self._stack = ExitStack()
        self._authority = Authority.create(clock=SystemClock())
        files = KeyPairFiles(folder / "relay.crt", folder / "relay.key")
        files.write(self._authority.issue_server(SERVER_HOSTS))
        self.relay = self._stack.enter_context(
            Relay(remote.url, ca_file=remote.ca_file, certificate=(files.certificate_file, files.key_file))
        )
        self.hub_client = self._client(hub)
        self.remote_client = self._client(remote)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in (self.hub_client, self.remote_client):
            client.delete_collection(ConfigMap, "default", labels=f"test={self.label}")
        self._stack.close()

    def manager(self, options: ClusterOptions = OPTIONS) -> Manager:
        """A manager of the hub, stopped after the test."""
        manager = Manager(self._client(self.hub), options=ManagerOptions(clusters=options))
        self._stack.callback(manager.stop)
        return manager

    @property
    def informer_options(self) -> InformerOptions:
        return InformerOptions(namespaces=("default",), labels=f"test={self.label}")

    def through_relay(self, user: Mapping[str, str] | None = None) -> InlineCredentials:
        """Credentials for the remote cluster by way of the relay."""
        return self._credentials(self.relay.url, self._authority.certificate, user or {"token": self.remote.token})

    def direct(self, cluster: Cluster, user: Mapping[str, str] | None = None) -> InlineCredentials:
        return self._credentials(cluster.url, cluster.ca_file.read_bytes(), user or {"token": cluster.token})

    def untrusted(self) -> InlineCredentials:
        """Credentials that expect another authority than the relay has."""
        other = Authority.create(clock=SystemClock()).certificate
        return self._credentials(self.relay.url, other, {"token": self.remote.token})

    def create(self, client: Client, *names: str) -> None:
        for name in names:
            metadata = ObjectMeta(name=self.name(name), namespace="default", labels={"test": self.label})
            client.create(ConfigMap(metadata=metadata))

    def delete(self, client: Client, name: str) -> None:
        client.delete(ConfigMap, Key("default", self.name(name)))

    def name(self, name: str) -> str:
        return f"{name}-{self.label}"

    def short(self, name: str) -> str:
        return name.removesuffix(f"-{self.label}")

    def cached(self, cluster: RemoteCluster) -> set[str]:
        lister = cluster.informer(ConfigMap, self.informer_options).lister
        return {self.short(one.metadata.name) for one in lister.list()}

    def _client(self, cluster: Cluster) -> Client:
        client = connect(from_kubeconfig(str(cluster.kubeconfig), clock=SystemClock()))
        self._stack.callback(client.connection.close)
        return client

    @staticmethod
    def _credentials(url: str, authority: bytes, user: Mapping[str, str]) -> InlineCredentials:
        data = {"certificate-authority-data": base64.b64encode(authority).decode()}
        document = {
            "clusters": [{"name": "c", "cluster": {"server": url, **data}}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        return credentials_from_kubeconfig(json.dumps(document))


class Recorder:
    """A handler that remembers `+a` for a creation, `~a` for a change, `-a` for a deletion."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.texts: list[str] = []

    def on_change(self, change: Change[Any]) -> None:
        sign = "+" if change.old is None else "-" if change.new is None else "~"
        self.texts.append(f"{sign}{self._world.short(change.key.name)}")


class Seen:
    """A reconciler that remembers its requests."""

    def __init__(self) -> None:
        self._lock = ThreadRuntime().lock()
        self.requests: set[Request] = set()

    def reconcile(self, request: Request) -> Result:
        with self._lock:
            self.requests.add(request)
        return Result.await_change()


def eventually(condition: Any, limit_seconds: float = LIMIT_SECONDS) -> None:
    assert wait_until(condition, limit_seconds=limit_seconds)
