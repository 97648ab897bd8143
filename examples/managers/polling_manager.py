"""A manager that is not ours, in a few lines: it asks the server every now and then, and is always alone.

It hosts both controllers of peer pods and their webhook, as any manager can for which somebody writes what
`controllers.peerpods.host.Host` asks for.
"""

import threading  # noqa: TID251 - somebody else has threads of his own
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from apis.meta import GroupVersionKind, Request, ResourceType, Unstructured
from controllers.peerpod import host_peerpod
from controllers.peerpodconfig import host_peerpodconfig
from controllers.peerpods.host import Document, HostChange, HostSource, Stop
from controllers.peerpods.options import PeerPodOptions
from controllers.reporting.recorder import NoRecorder
from framework.client import Client
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.reconcile import Reconciler
from framework.workqueue import RateLimiter

POLL_SECONDS = 0.3
now = SystemClock().monotonic


class Polled:
    """All objects of one kind, as they were when the server was asked last."""

    def __init__(self, ask: Callable[[], Iterable[Document]]) -> None:
        self._ask = ask
        self._objects: dict[tuple[str, str], Document] = {}
        self.listeners: list[Callable[[HostChange], None]] = []

    def get(self, namespace: str, name: str) -> Document | None:
        return self._objects.get((namespace, name))

    def list(self) -> list[Document]:
        return [*self._objects.values()]

    def poll(self) -> None:
        found = {(each["metadata"].get("namespace", ""), each["metadata"]["name"]): each for each in self._ask()}
        before, self._objects = self._objects, found
        for key in {**before, **found}:
            if before.get(key) != found.get(key):
                for listener in self.listeners:
                    listener(HostChange(before.get(key), found.get(key), is_listed=True))


class Controller:
    def __init__(self, reconciler: Reconciler, sources: Sequence[HostSource], limiter: RateLimiter) -> None:
        self._reconciler, self._limiter = reconciler, limiter
        self._due: dict[Request, float] = {}
        self._busy: set[Request] = set()
        self._changed = threading.Condition()
        for source in sources:
            source.informer.listeners.append(self._listener(source))  # type: ignore[attr-defined] # all are Polled

    def add(self, request: Request, after_seconds: float = 0.0) -> None:
        with self._changed:
            self._due[request] = min(self._due.get(request, inf), now() + after_seconds)
            self._changed.notify()

    def work(self, stop: Stop) -> None:
        while not stop.wait(0):
            with self._changed:
                ready = [each for each, at in self._due.items() if at <= now() and each not in self._busy]
                if not ready:
                    self._changed.wait(POLL_SECONDS)
                    continue
                request = ready[0]
                self._due.pop(request)
                self._busy.add(request)
            self._reconcile(request)

    def _reconcile(self, request: Request) -> None:
        try:
            after_seconds = self._reconciler.reconcile(request).requeue_after_seconds
            self._limiter.forget(request)
        except WindlassError:
            after_seconds = self._limiter.when(request)
        with self._changed:
            self._busy.discard(request)
        if after_seconds is not None:
            self.add(request, after_seconds)

    def _listener(self, source: HostSource) -> Callable[[HostChange], None]:
        def hear(change: HostChange) -> None:
            for request in source.requests(change):
                self.add(request, source.after_seconds)

        return hear


class PollingManager:
    def __init__(self, client: Client) -> None:
        self.client, self.recorder = client, NoRecorder()
        # By their paths, for a server that shows the certificate of Secret `webhook-server-cert`.
        self.webhooks: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {}
        self._informers: list[Polled] = []
        self._runnables: list[Callable[[Stop], None]] = [self._poll]
        self._stop, self._threads = threading.Event(), list[threading.Thread]()

    def informer(
        self,
        gvk: GroupVersionKind,
        namespace: str | None = None,
        field_selector: str | None = None,
        label_selector: str | None = None,
    ) -> Polled:
        kind = ResourceType(gvk, f"{gvk.kind.lower()}s")

        def ask() -> Iterable[Document]:
            wanted = {"fields": field_selector or "", "labels": label_selector or ""}
            found: list[Unstructured] = self.client.list(kind, namespace or "", **wanted)
            return [each.content for each in found]

        self._informers.append(Polled(ask))
        return self._informers[-1]

    def add_controller(
        self, _name: str, reconciler: Reconciler, sources: Sequence[HostSource], workers: int, rate_limiter: RateLimiter
    ) -> None:
        controller = Controller(reconciler, sources, rate_limiter)
        self._runnables += [controller.work] * workers

    def add_runnable(self, run: Callable[[Stop], None], *, leader_only: bool) -> None:  # noqa: ARG002 - always alone
        self._runnables.append(run)

    def add_webhook(self, path: str, handler: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self.webhooks[path] = handler

    def start(self) -> None:
        for informer in self._informers:
            informer.poll()
        self._threads = [threading.Thread(target=run, args=(self._stop,), daemon=True) for run in self._runnables]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(30)
        self.client.connection.close()

    def _poll(self, stop: Stop) -> None:
        while not stop.wait(POLL_SECONDS):
            for informer in self._informers:
                with suppress(WindlassError):
                    informer.poll()


def manager_of(client: Client, options: PeerPodOptions) -> PollingManager:
    manager = PollingManager(client)
    host_peerpodconfig(manager, options)
    host_peerpod(manager, options)
    return manager
