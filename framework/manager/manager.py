"""One process: informers, controllers, probes, metrics."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import structlog
from prometheus_client import CollectorRegistry

from apis.meta import KubeObject, ResourceType, resource_type_of
from framework.client import Client, Credentials, Kind, Sender, connect
from framework.clock import Clock, SystemClock
from framework.clusters import ClusterMetrics, Clusters, ConnectionFactory
from framework.controller import Controller, ControllerMetrics, ControllerOptions, Source
from framework.errors import ConfigurationError
from framework.events import EventMetrics, EventRecorder
from framework.informers import DEFINITIONS, InformerMetrics, InformerOptions, SharedInformer
from framework.informers.resync import Resync
from framework.journal import JournalObserver
from framework.log import configure_logging
from framework.manager.cluster_checks import ClusterChecks
from framework.manager.component_rights import METRICS, WEBHOOKS, component_rights, held_informers
from framework.manager.debug import DebugServer
from framework.manager.definitions import DefinitionHandler
from framework.manager.endpoints import Endpoints
from framework.manager.health import Check, Checks
from framework.manager.leader import LeaderElector, LeaderMetrics
from framework.manager.metrics_access import REVIEW_RIGHTS
from framework.manager.metrics_security import MetricsSecurity
from framework.manager.options import ManagerOptions
from framework.manager.preflight import Preflight
from framework.manager.process_metrics import register_process_metrics
from framework.manager.shared_informers import SharedInformers
from framework.manager.succession import Succession
from framework.manager.webhook_start import start_webhooks
from framework.own_writes import OwnWrites
from framework.randomness import Random, system_random
from framework.reconcile import Reconciler
from framework.rights import Need, Right, needs_of
from framework.runtime import Event, Runtime, ThreadRuntime
from framework.webhooks import Webhooks
from framework.workqueue import WorkQueueMetrics

T = TypeVar("T", bound=KubeObject)

# After so long the server is asked about a write that a cache has not shown.
_SETTLE_SECONDS = 15.0

_log = structlog.get_logger("windlass.manager")


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
        connect_cluster: ConnectionFactory | None = None,
    ) -> None:
        self.clock = clock or SystemClock()
        self.runtime = runtime or ThreadRuntime()
        self.own_writes = OwnWrites(client, clock=self.clock, runtime=self.runtime)
        # What is written through this client, or one made from it, is seen by the listers at once.
        self.client = client.observed_by(self.own_writes)
        self.random = random or system_random()
        self.registry = registry or CollectorRegistry()
        self.options = self._with_identity(options or ManagerOptions())
        self.health = Checks()
        self.readiness = Checks()
        register_process_metrics(self.registry)
        self._informer_metrics = InformerMetrics(self.registry)
        self._controller_metrics = ControllerMetrics(self.registry)
        self._queue_metrics = WorkQueueMetrics(self.registry)
        self._event_metrics = EventMetrics(self.registry)
        self._informers = SharedInformers(self._new_informer, self.readiness, self.runtime)
        self.clusters = self._new_clusters(connect_cluster or self._connect_cluster)
        # Guards the collections below, and who starts what is added to them.
        self._lock = self.runtime.lock()
        self._controllers: dict[str, Controller] = {}
        self._recorders: dict[str, EventRecorder] = {}
        self._is_running = False
        self._start_hooks: list[Callable[[], None]] = []
        self._stop_hooks: list[Callable[[float], None]] = []
        self._endpoints = self._new_endpoints(client)
        self._debug = self._new_debug_server()
        self._preflight = Preflight(client, self.readiness, clock=self.clock, runtime=self.runtime, random=self.random)
        self._succession = Succession(
            lambda: list(self._controllers.values()), self._informers.all, clock=self.clock, runtime=self.runtime
        )
        self.elector = self._new_elector()
        self.webhooks = self._new_webhooks()
        self._have_ended: bool | None = None
        self._settling = Resync(self._settle, _SETTLE_SECONDS, runtime=self.runtime, name="own-writes")

    @property
    def ports(self) -> Mapping[str, int]:
        """Where `health`, `metrics` and `debug` are served, once started."""
        return {**self._endpoints.ports, **self._debug.ports}

    def informer(self, kind: Kind[T], options: InformerOptions | None = None) -> SharedInformer[T]:
        """The one informer of this process for *kind* and *options*; started at once if the manager runs already."""
        return self._informers.get(kind, options or InformerOptions(namespaces=self._namespaces_for(kind)))

    def remove_informer(self, informer: SharedInformer[Any]) -> None:
        """End *informer* for good; its handlers hear no more. The next who asks for its kind gets a new one."""
        if not self._informers.remove(informer):
            raise ConfigurationError(f"{informer.name!r} is no informer of this manager")

    def client_for(self, controller: str) -> Client:
        """A client that writes as the field manager `windlass/<controller>`; only while we lead, if that needs it."""
        leading = (self._succession.observer_of(controller, self.elector.leading),) if self.elector else ()
        return self.client.acting_as(f"windlass/{controller}", *leading, *self._journal_observers())

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
        with self._lock:
            self._preflight.give_up(name)
        return controller.stop(self.options.grace_period_seconds if timeout is None else timeout)

    def rights(self) -> dict[str, tuple[Right, ...]]:
        """What each controller and the parts of the manager must be allowed to do, wherever this is deployed."""
        options, controllers = self.options, list(self._controllers.values())
        rights = component_rights(
            controllers, options.namespaces, options.lease, follows_definitions=options.follow_definitions
        )
        if options.metrics_secure and options.metrics_address:
            rights[METRICS] = REVIEW_RIGHTS
        return {**rights, WEBHOOKS: self.webhooks.rights()} if self.webhooks.hooks else rights

    def needs(self, name: str) -> tuple[Need, ...]:
        """The rights of one of them, in the namespaces of this process."""
        watched, lease = self.options.namespaces, self.options.lease
        home = watched[0] if lease is None else lease.namespace
        return needs_of(self.rights().get(name, ()), watched=watched, home=home)

    def add_ready_check(self, name: str, check: Check) -> None:
        self.readiness.add(name, check)

    def at_start(self, hook: Callable[[], None]) -> None:
        """Have *hook* called, whoever leads, when the process starts: before caches, which may need what it serves."""
        self._start_hooks.append(hook)

    def before_stop(self, hook: Callable[[float], None]) -> None:
        """Have *hook* called with the grace period in seconds when a stop begins, while everything still runs."""
        self._stop_hooks.append(hook)

    def start(self) -> None:
        """Probes first, to watch a slow start; webhooks, which lists may need; caches; controllers when they can."""
        self._endpoints.start()
        self._debug.start()
        self._start_webhooks()
        self._call_start_hooks()
        if self.options.follow_definitions:
            definitions: SharedInformer[Any] = self.informer(DEFINITIONS, InformerOptions(metadata_only=True))
            definitions.add_handler(DefinitionHandler(self._informers.all), name="definitions")
        self._informers.start(held=held_informers(list(self._controllers.values())))
        self.clusters.start()
        self._settling.start()
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
        self._settling.stop()
        self._preflight.stop()
        self._informers.stop()
        self.clusters.stop()
        if self.elector is not None:
            # A reconcile that still runs may still write: then the lease must run out by itself.
            self.elector.stop(release=have_ended)
            self._succession.stop()
        # After everything that may still have something to say.
        for recorder in list(self._recorders.values()):
            recorder.stop()
        self.webhooks.stop(self._seconds_until(deadline))
        self._debug.stop()
        self._endpoints.stop()
        self.client.connection.close()
        return have_ended

    def run(self, stop: Event) -> bool:
        """Start, wait for *stop*, stop."""
        if not structlog.is_configured():
            # Its own default shows local variables in tracebacks, and with them secrets.
            configure_logging()
        self.start()
        try:
            stop.wait()
        finally:
            in_time = self.stop()
        return in_time

    def _settle(self) -> None:
        self.own_writes.settle(_SETTLE_SECONDS)

    def _start_webhooks(self) -> None:
        try:
            start_webhooks(self.webhooks, self.informer, readiness=self.readiness, health=self.health)
        except ConfigurationError:
            self._endpoints.stop()
            raise

    def _call_start_hooks(self) -> None:
        try:
            for hook in self._start_hooks:
                hook()
        except ConfigurationError:
            self._endpoints.stop()
            raise

    def _start_controller(self, controller: Controller) -> None:
        if controller.options.rights is None:
            self._run_controller(controller)
        else:
            self._preflight.begin(controller.name, self.needs(controller.name), lambda: self._run_permitted(controller))

    def _run_permitted(self, controller: Controller) -> None:
        with self._lock:
            if self._is_running and not controller.is_stopping:
                self._informers.release(controller.informers)
                self._run_controller(controller)

    def _run_controller(self, controller: Controller) -> None:
        controller.watch()
        elector = self.elector if controller.options.needs_leader else None
        controller.start(self._succession.turn_of(controller, elector.leading) if elector is not None else None)

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
            own_writes=self.own_writes,
            name=name,
        )

    def _journal_observers(self) -> tuple[JournalObserver, ...]:
        return (JournalObserver(),) if self.options.journal.keys else ()

    def _new_clusters(self, connect_cluster: ConnectionFactory) -> Clusters:
        clusters = Clusters(
            connect_cluster,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            options=self.options.clusters,
            informer_metrics=self._informer_metrics,
            observers_of=lambda _controller: self._journal_observers(),
        )
        clusters.follow(ClusterChecks(self.readiness, counts=self.options.clusters.gate_readiness))
        ClusterMetrics(clusters, self.registry)
        return clusters

    def _connect_cluster(self, credentials: Credentials) -> Sender:
        return connect(credentials, clock=self.clock, runtime=self.runtime, random=self.random).connection

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
            journal=self.options.journal,
        )

    def _new_recorder(self, controller: str) -> EventRecorder:
        return EventRecorder(
            self.client,
            controller,
            instance=self.options.identity,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            metrics=self._event_metrics,
            options=self.options.events,
        )

    def _new_elector(self) -> LeaderElector | None:
        if self.options.lease is None:
            return None
        metrics = LeaderMetrics(self.registry)
        metrics.behind.labels(self.options.lease.name).set_function(lambda: self._succession.caches_behind)
        elector = LeaderElector(
            self.client,
            self.options.lease,
            self.options.identity,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            metrics=metrics,
            options=self.options.leader,
            succession=self._succession,
        )
        self.readiness.add("leader-election", lambda: elector.problem or self._succession.problem(elector.leading))
        return elector

    def _new_webhooks(self) -> Webhooks:
        return Webhooks(
            self.client,
            self.options.webhooks,
            clock=self.clock,
            runtime=self.runtime,
            registry=self.registry,
            leads=lambda: self.elector is None or self.elector.leading.is_set(),
        )

    def _new_endpoints(self, client: Client) -> Endpoints:
        options, security = self.options, None
        if options.metrics_secure and options.metrics_address:
            folder = options.metrics_certificate_folder
            security = MetricsSecurity(client, folder, self.registry, clock=self.clock, runtime=self.runtime)
        return Endpoints(
            self.options.health_address,
            self.options.metrics_address,
            health=self.health,
            readiness=self.readiness,
            registry=self.registry,
            clock=self.clock,
            runtime=self.runtime,
            security=security,
        )

    def _new_debug_server(self) -> DebugServer:
        return DebugServer(
            self.options.debug_address,
            lambda: list(self._controllers.values()),
            clock=self.clock,
            runtime=self.runtime,
        )

    def _namespaces_for(self, kind: Kind[T]) -> tuple[str, ...]:
        resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        return self.options.namespaces if resource_type.is_namespaced else ("",)
