"""One process: informers, controllers, probes, metrics."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from apis.meta import Key, KubeObject, ResourceType, resource_type_of
from framework.client import Client, Kind
from framework.clock import Clock, SystemClock
from framework.controller import Controller, ControllerMetrics, ControllerOptions, Source
from framework.errors import ConfigurationError
from framework.events import EventRecorder
from framework.informers import InformerMetrics, InformerOptions, SharedInformer
from framework.manager.health import Check, Checks
from framework.manager.leader import LeaderElector, LeaderMetrics, LeaderOptions
from framework.manager.server import HttpServer, Page
from framework.randomness import Random, system_random
from framework.reconcile import Reconciler
from framework.runtime import Event, Runtime, ThreadRuntime
from framework.workqueue import WorkQueueMetrics

T = TypeVar("T", bound=KubeObject)

_log = structlog.get_logger("windlass.manager")


class ManagerOptions(msgspec.Struct, frozen=True):
    """Addresses are HOST:PORT or :PORT; empty means: no such server."""

    health_address: str = ""
    metrics_address: str = ""
    grace_period_seconds: float = 30.0
    # None: every controller works at once, without asking.
    lease: Key | None = None
    leader: LeaderOptions = LeaderOptions()
    # Tells this process from its replicas, in leases and events.
    identity: str = "windlass"
    # The namespaces that informers watch unless they say otherwise; an empty one is all.
    namespaces: tuple[str, ...] = ("",)


class Manager:
    def __init__(
        self,
        client: Client,
        *,
        clock: Clock | None = None,
        runtime: Runtime | None = None,
        random: Random | None = None,
        registry: CollectorRegistry | None = None,
        options: ManagerOptions | None = None,
    ) -> None:
        self.client = client
        self.clock = clock or SystemClock()
        self.runtime = runtime or ThreadRuntime()
        self.random = random or system_random()
        self.registry = registry or CollectorRegistry()
        self.options = options or ManagerOptions()
        self.health = Checks()
        self.readiness = Checks()
        self._informer_metrics = InformerMetrics(self.registry)
        self._controller_metrics = ControllerMetrics(self.registry)
        self._queue_metrics = WorkQueueMetrics(self.registry)
        self._informers: dict[tuple[ResourceType, InformerOptions], SharedInformer[Any]] = {}
        self._controllers: dict[str, Controller] = {}
        self._recorders: list[EventRecorder] = []
        self._servers: list[HttpServer] = []
        self._stop_hooks: list[Callable[[float], None]] = []
        self.elector = self._new_elector()
        self._started = False

    def informer(self, kind: Kind[T], options: InformerOptions | None = None) -> SharedInformer[T]:
        """The one informer of this process for *kind* and *options*; started at once if the manager runs already."""
        options = options or InformerOptions(namespaces=self._namespaces_for(kind))
        resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        informer = self._informers.get((resource_type, options))
        if informer is None:
            informer = self._new_informer(kind, options)
            self._informers[resource_type, options] = informer
            self.readiness.add(f"informer/{informer.name}", _problem_check(informer))
            if self._started:
                informer.start()
        return cast("SharedInformer[T]", informer)

    def client_for(self, controller: str) -> Client:
        """A client that writes as the field manager `windlass/<controller>`."""
        return self.client.acting_as(f"windlass/{controller}")

    def recorder_for(self, controller: str) -> EventRecorder:
        recorder = EventRecorder(
            self.client,
            controller,
            instance=self.options.identity,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
        )
        self._recorders.append(recorder)
        if self._started:
            recorder.start()
        return recorder

    def add_controller(
        self, name: str, reconciler: Reconciler, sources: Sequence[Source], options: ControllerOptions | None = None
    ) -> Controller:
        if name in self._controllers:
            raise ConfigurationError(f"there are two controllers named {name!r}")
        controller = Controller(
            name,
            reconciler,
            sources,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            options=options,
            metrics=self._controller_metrics,
            queue_metrics=self._queue_metrics,
        )
        self._controllers[name] = controller
        if self._started:
            self._start_controller(controller)
        return controller

    def add_ready_check(self, name: str, check: Check) -> None:
        self.readiness.add(name, check)

    def before_stop(self, hook: Callable[[float], None]) -> None:
        """Have *hook* called with the grace period in seconds when a stop begins, while everything still runs."""
        self._stop_hooks.append(hook)

    def start(self) -> None:
        """Probes first, so that a slow start can be watched; then caches; then controllers, each when it can."""
        self._start_servers()
        self._started = True
        for recorder in self._recorders:
            recorder.start()
        for informer in self._informers.values():
            informer.start()
        if self.elector is not None:
            self.elector.start()
        for controller in self._controllers.values():
            self._start_controller(controller)

    def stop(self) -> bool:
        """The other way round; false when reconciles under way did not end within the grace period."""
        deadline = self.clock.monotonic() + self.options.grace_period_seconds
        for hook in self._stop_hooks:
            hook(max(0.0, deadline - self.clock.monotonic()))
        in_time = True
        for controller in self._controllers.values():
            in_time &= controller.stop(max(0.0, deadline - self.clock.monotonic()))
        for informer in self._informers.values():
            informer.close(timeout=2.0)
        if self.elector is not None:
            self.elector.stop()
        # After everything that may still have something to say.
        for recorder in self._recorders:
            recorder.stop()
        for server in self._servers:
            server.stop()
        self.client.connection.close()
        return in_time

    def run(self, stop: Event) -> bool:
        """Start, wait for *stop*, stop."""
        self.start()
        try:
            stop.wait()
        finally:
            in_time = self.stop()
        return in_time

    def _start_controller(self, controller: Controller) -> None:
        controller.watch()
        elector = self.elector if controller.options.needs_leader else None
        controller.start(elector.leading if elector is not None else None)

    def _start_servers(self) -> None:
        probes = {"/healthz": lambda _: _report(self.health), "/readyz": lambda _: _report(self.readiness)}
        if self.options.health_address:
            self._servers.append(HttpServer("health", self.options.health_address, probes, self.runtime))
        if self.options.metrics_address:
            routes = {"/metrics": self._metrics_page}
            self._servers.append(HttpServer("metrics", self.options.metrics_address, routes, self.runtime))
        for server in self._servers:
            server.start()

    def _metrics_page(self, headers: Mapping[str, str]) -> Page:
        encode, content_type = choose_encoder(headers.get("Accept", ""))
        return Page(200, content_type, encode(self.registry))

    def _new_informer(self, kind: Kind[T], options: InformerOptions) -> SharedInformer[T]:
        return SharedInformer(
            kind,
            client=self.client,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            options=options,
            metrics=self._informer_metrics,
        )

    def _new_elector(self) -> LeaderElector | None:
        if self.options.lease is None:
            return None
        return LeaderElector(
            self.client,
            self.options.lease,
            self.options.identity,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            metrics=LeaderMetrics(self.registry),
            options=self.options.leader,
        )

    def _namespaces_for(self, kind: Kind[T]) -> tuple[str, ...]:
        resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        return self.options.namespaces if resource_type.is_namespaced else ("",)


def _problem_check(informer: SharedInformer[Any]) -> Check:
    return lambda: informer.problem


def _report(checks: Checks) -> Page:
    is_fine, text = checks.report()
    return Page(200 if is_fine else 500, "text/plain; charset=utf-8", text.encode())
