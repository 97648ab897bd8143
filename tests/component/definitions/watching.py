"""A manager with an informer of a kind that comes and goes, and a controller of one that is always there."""

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import Primary
from framework.errors import NotFound
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.store import Change
from framework.testing.control_plane.waiting import wait_until
from tests.component.definitions.widgets import LIMIT_SECONDS, Widgets


class Watching:
    def __init__(self, client: Client, kubeconfig: Path) -> None:
        self._client = client
        self._kubeconfig = kubeconfig
        self.widgets = Widgets(client)
        self.texts: list[str] = []
        self.reconciled: set[str] = set()
        self._managers: list[Manager] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for manager in self._managers:
            manager.stop()
        with suppress(NotFound):
            self.widgets.undefine()
        self._client.delete_collection(ConfigMap, "default", labels=f"test={self.widgets.group}")

    def start(self, **options: Any) -> SharedInformer[Any]:
        """The informer of the widgets, in a manager that runs."""
        client = connect(from_kubeconfig(str(self._kubeconfig), clock=SystemClock()))
        self.manager = Manager(client, options=ManagerOptions(**options))
        self._managers.append(self.manager)
        informer: SharedInformer[Any] = self.manager.informer(self.widgets.kind)
        informer.add_handler(self)
        others = self.manager.informer(ConfigMap, InformerOptions(labels=f"test={self.widgets.group}"))
        self.manager.add_controller("others", self, [Primary(others)])
        self.manager.start()
        return informer

    def on_change(self, change: Change[Any]) -> None:
        sign = "+" if change.old is None else "-" if change.new is None else "~"
        self.texts.append(f"{sign}{change.key.name}")

    def reconcile(self, request: Request) -> Result:
        self.reconciled.add(request.name)
        return Result.await_change()

    def others_go_on(self, name: str) -> bool:
        """Whether the controller of the other kind still hears of new objects."""
        unique = f"{name}-{self.widgets.group.split('.')[0]}"
        labels = {"test": self.widgets.group}
        self._client.create(ConfigMap(metadata=ObjectMeta(name=unique, namespace="default", labels=labels)))
        return wait_until(lambda: unique in self.reconciled, limit_seconds=LIMIT_SECONDS)

    def has_problem(self) -> bool:
        name = self.widgets.name
        report = self.manager.readiness.report()[1]
        return f"[-]informer/{name}: {name} is not served in version v1" in report

    def uid_of(self, name: str) -> str:
        return self._client.get(self.widgets.kind, Key("default", name)).metadata.uid
