"""One process: informers, controllers, probes, metrics."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import structlog
from prometheus_client import CollectorRegistry

from apis.meta import Key, KubeObject, ResourceType, resource_type_of
from framework.client import Client, Kind
from framework.clock import Clock, SystemClock
from framework.controller import Controller, ControllerMetrics, ControllerOptions, Source
from framework.errors import ConfigurationError
from framework.events import EventRecorder
from framework.informers import InformerMetrics, InformerOptions, SharedInformer
from framework.manager.endpoints import Endpoints
from framework.manager.health import Check, Checks
from framework.manager.leader import LeaderElector, LeaderMetrics, LeaderOptions
from framework.manager.process_metrics import register_process_metrics
from framework.manager.shared_informers import SharedInformers
from framework.randomness import Random, system_random
from framework.reconcile import Reconciler
from framework.runtime import Event, Runtime, ThreadRuntime
from framework.workqueue import WorkQueueMetrics

T = TypeVar("T", bound=KubeObject)

_log = structlog.get_logger("windlass.manager")


class ManagerOptions(msgspec.Struct, frozen=True):
    """Addresses are HOST:PORT or :PORT; empty means: no such server. Both may be the same."""

    health_address: str = ""
    metrics_address: str = ""
    grace_period_seconds: float = 30.0
    # None: every controller works at once, without asking.
    lease: Key | None = None
    leader: LeaderOptions = LeaderOptions()
    # Tells this process from its replicas, in leases and events; empty: made up, so that no two are the same.
    identity: str = ""
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
        self.options = self._with_identity(options or ManagerOptions())
        self.health = Checks()
        self.readiness = Checks()
        register_process_metrics(self.registry)
        self._informer_metrics = InformerMetrics(self.registry)
        self._controller_metrics = ControllerMetrics(self.registry)
        self._queue_metrics = WorkQueueMetrics(self.registry)
        self._informers = SharedInformers(self._new_informer, self.readiness, self.runtime)
        # Guards the collections below, and who starts what is added to them.
        self._lock = self.runtime.lock()
        self._controllers: dict[str, Controller] = {}
        self._recorders: dict[str, EventRecorder] = {}
        self._is_running = False
        self._stop_hooks: list[Callable[[float], None]] = []
        self._endpoints = self._new_endpoints()
        self.elector = self._new_elector()
        self._have_ended: bool | None = None

    @property
    def ports(self) -> Mapping[str, int]:
        """Where `health` and `metrics` are served, once started."""
        return self._endpoints.ports

    def informer(self, kind: Kind[T], options: InformerOptions | None = None) -> SharedInformer[T]:
        """The one informer of this process for *kind* and *options*; started at once if the manager runs already."""
        return self._informers.get(kind, options or InformerOptions(namespaces=self._namespaces_for(kind)))

    def remove_informer(self, informer: SharedInformer[Any]) -> None:
        """End *informer* for good; its handlers hear no more. The next who asks for its kind gets a new one."""
        if not self._informers.remove(informer):
            raise ConfigurationError(f"{informer.name!r} is no informer of this manager")

    def client_for(self, controller: str) -> Client:
        """A client that writes as the field manager `windlass/<controller>`."""
        return self.client.acting_as(f"windlass/{controller}")

    def recorder_for(self, controller: str) -> EventRecorder:
        """The one recorder of this process for *controller*."""
        with self._lock:
            recorder = self._recorders.get(controller)
            if recorder is None:
                recorder = self._recorders[controller] = self._new_recorder(controller)
                if self._is_running:
                    recorder.start()
        return recorder

    def add_controller(
        self, name: str, reconciler: Reconciler, sources: Sequence[Source], options: ControllerOptions | None = None
    ) -> Controller:
        """Run *reconciler*; from now on, if the manager runs already."""
        with self._lock:
            if name in self._controllers:
                raise ConfigurationError(f"there are two controllers named {name!r}")
            controller = self._controllers[name] = self._new_controller(name, reconciler, sources, options)
            if self._is_running:
                self._start_controller(controller)
        return controller

    def stop_controller(self, name: str, timeout: float | None = None) -> bool:
        """End one controller for good, all others go on; false when its reconciles did not end within *timeout*.

        Its name stays taken: the metrics of the process go on under it.
        """
        controller = self._controllers.get(name)
        if controller is None:
            raise ConfigurationError(f"there is no controller named {name!r}")
        return controller.stop(self.options.grace_period_seconds if timeout is None else timeout)

    def add_ready_check(self, name: str, check: Check) -> None:
        self.readiness.add(name, check)

    def before_stop(self, hook: Callable[[float], None]) -> None:
        """Have *hook* called with the grace period in seconds when a stop begins, while everything still runs."""
        self._stop_hooks.append(hook)

    def start(self) -> None:
        """Probes first, so that a slow start can be watched; then caches; then controllers, each when it can."""
        self._endpoints.start()
        self._informers.start()
        if self.elector is not None:
            self.elector.start()
        with self._lock:
            self._is_running = True
            for recorder in self._recorders.values():
                recorder.start()
            for controller in self._controllers.values():
                self._start_controller(controller)

    def stop(self) -> bool:
        """The other way round; false when reconciles under way did not end within the grace period."""
        if self._have_ended is None:
            self._have_ended = self._stop()
        return self._have_ended

    def _stop(self) -> bool:
        deadline = self.clock.monotonic() + self.options.grace_period_seconds
        self._call_stop_hooks(deadline)
        have_ended = self._stop_controllers(deadline)
        self._informers.stop()
        if self.elector is not None:
            # A reconcile that still runs may still write: then the lease must run out by itself.
            self.elector.stop(release=have_ended)
        # After everything that may still have something to say.
        for recorder in list(self._recorders.values()):
            recorder.stop()
        self._endpoints.stop()
        self.client.connection.close()
        return have_ended

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

    def _call_stop_hooks(self, deadline: float) -> None:
        for hook in self._stop_hooks:
            try:
                hook(self._seconds_until(deadline))
            except Exception:  # noqa: BLE001 - a hook is foreign code; the rest must be stopped all the same
                _log.exception("stop_hook_failed")

    def _stop_controllers(self, deadline: float) -> bool:
        with self._lock:
            self._is_running = False
            controllers = list(self._controllers.values())
        # All are told first: none may take new work while another one ends.
        for controller in controllers:
            controller.request_stop()
        late = [each.name for each in controllers if not each.stop(self._seconds_until(deadline))]
        if late:
            _log.error("reconciles_did_not_end", controllers=late, grace_period=self.options.grace_period_seconds)
        return not late

    def _seconds_until(self, deadline: float) -> float:
        return max(0.0, deadline - self.clock.monotonic())

    def _with_identity(self, options: ManagerOptions) -> ManagerOptions:
        identity = options.identity or f"windlass_{self.random.getrandbits(64):016x}"
        return msgspec.structs.replace(options, identity=identity)

    def _new_informer(self, kind: Kind[T], options: InformerOptions, name: str) -> SharedInformer[T]:
        return SharedInformer(
            kind,
            client=self.client,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            options=options,
            metrics=self._informer_metrics,
            name=name,
        )

    def _new_controller(
        self, name: str, reconciler: Reconciler, sources: Sequence[Source], options: ControllerOptions | None
    ) -> Controller:
        return Controller(
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

    def _new_recorder(self, controller: str) -> EventRecorder:
        return EventRecorder(
            self.client,
            controller,
            instance=self.options.identity,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
        )

    def _new_elector(self) -> LeaderElector | None:
        if self.options.lease is None:
            return None
        elector = LeaderElector(
            self.client,
            self.options.lease,
            self.options.identity,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            metrics=LeaderMetrics(self.registry),
            options=self.options.leader,
        )
        self.readiness.add("leader-election", lambda: elector.problem)
        return elector

    def _new_endpoints(self) -> Endpoints:
        return Endpoints(
            self.options.health_address,
            self.options.metrics_address,
            health=self.health,
            readiness=self.readiness,
            registry=self.registry,
            clock=self.clock,
            runtime=self.runtime,
        )

    def _namespaces_for(self, kind: Kind[T]) -> tuple[str, ...]:
        resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        return self.options.namespaces if resource_type.is_namespaced else ("",)
