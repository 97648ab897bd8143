"""Managers on the real API server, ended whatever happens."""

import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from apis.meta import ObjectMeta, OwnerReference, Request
from framework.client import Client, RestClientMetrics, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay

ANYWHERE = "127.0.0.1:0"
LIMIT_SECONDS = 30.0


class Recorder:
    """A reconciler that remembers what it was asked, and does what the test wants."""

    def __init__(self, act: Callable[[Request], Any] | None = None) -> None:
        self._act = act
        self.seen: list[str] = []

    def reconcile(self, request: Request) -> Result:
        self.seen.append(request.name)
        answer = self._act(request) if self._act else None
        return answer if isinstance(answer, Result) else Result.await_change()

    def has_seen(self, *names: str) -> bool:
        return set(names) <= set(self.seen)


class Managers:
    """Makes managers of one namespace."""

    def __init__(self, plane: ControlPlane, namespace: str, folder: Path) -> None:
        self._plane = plane
        self._namespace = namespace
        self._folder = folder
        self._made: list[Manager] = []

    def make(self, *, through: Relay | None = None, user: str = "", **options: Any) -> Manager:
        kubeconfig = self._plane.kubeconfig_for(user) if user else self._plane.kubeconfig
        if through is not None:
            kubeconfig = through.kubeconfig(self._folder, self._plane.token)
        registry = CollectorRegistry()
        client = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()), metrics=RestClientMetrics(registry))
        given = {
            "namespaces": (self._namespace,),
            "health_address": ANYWHERE,
            "grace_period_seconds": 5.0,
            **options,
        }
        manager = Manager(client, registry=registry, options=ManagerOptions(**given))
        self._made.append(manager)
        return manager

    def stop(self) -> None:
        for manager in self._made:
            manager.stop()


@pytest.fixture
def managers(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> Iterator[Managers]:
    made = Managers(control_plane, namespace, tmp_path)
    yield made
    made.stop()


@pytest.fixture
def recorder() -> Callable[..., Recorder]:
    return Recorder


@pytest.fixture
def eventually() -> Callable[[Callable[[], Any]], None]:
    """Wait for a condition, with a limit; then it must hold."""

    def wait(condition: Callable[[], Any]) -> None:
        assert wait_until(lambda: bool(condition()), limit_seconds=LIMIT_SECONDS)

    return wait


@pytest.fixture
def page() -> Callable[..., tuple[int, str]]:
    """Status and text of a page of a running manager."""

    def get(manager: Manager, path: str, *, server: str = "health", accept: str = "*/*") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", manager.ports[server], timeout=5)
        try:
            connection.request("GET", path, headers={"Accept": accept})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    return get


@pytest.fixture
def config_map(client: Client, namespace: str) -> Callable[..., ConfigMap]:
    def create(name: str, *, owner: OwnerReference | None = None, **metadata: Any) -> ConfigMap:
        owners = [owner] if owner else []
        meta = ObjectMeta(name=name, namespace=namespace, owner_references=owners, **metadata)
        return client.create(ConfigMap(metadata=meta))

    return create


@pytest.fixture
def event() -> Callable[[], Any]:
    return ThreadRuntime().event
