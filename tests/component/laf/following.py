"""A manager with a controller that follows a kind which may not be installed."""

from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request, Unstructured
from controllers.laf.optional_kinds import OptionalKinds
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import Primary
from framework.errors import NotFound
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.reconcile import Result
from tests.component.definitions.widgets import Widgets

NOT_INSTALLED = "not installed"


class Following:
    """Reconciles one ConfigMap, and notes each time what it knows of the widgets."""

    def __init__(self, client: Client, kubeconfig: Path, namespace: str) -> None:
        self._client = client
        self._key = Key(namespace, "primary")
        self.widgets = Widgets(client)
        self.seen: list[str] = []
        self.manager = Manager(connect(from_kubeconfig(str(kubeconfig), clock=SystemClock())))
        self.optional = OptionalKinds(self.manager)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.manager.stop()
        with suppress(NotFound):
            self.widgets.undefine()

    def start(self) -> None:
        self._client.create(ConfigMap(metadata=ObjectMeta(name=self._key.name, namespace=self._key.namespace)))
        primaries = self.manager.informer(ConfigMap, InformerOptions(namespaces=(self._key.namespace,)))
        source = self.optional.source_of(self.widgets.kind, self._primary_of, lambda: [Request(self._key)])
        self.manager.add_controller("follower", self, [Primary(primaries), source])
        self.manager.start()

    def reconcile(self, request: Request) -> Result:
        del request
        lister = self.optional.lister_of(self.widgets.kind)
        seen = NOT_INSTALLED if lister is None else ",".join(sorted(each.metadata.name for each in lister.list()))
        self.seen.append(seen)
        return Result.await_change()

    def is_ready(self) -> bool:
        return self.manager.readiness.report()[0]

    def _primary_of(self, widget: Unstructured) -> list[Request]:
        return [Request(self._key)] if widget.metadata.name else []
