"""One remote cluster."""

from typing import Any, TypeVar

import structlog

from apis.meta import KubeObject
from framework.client import Client, Credentials, Kind, Sender
from framework.clusters.guard import GuardedConnection
from framework.clusters.health import ClusterHealth, ClusterState, Health
from framework.clusters.informers import ClusterInformers
from framework.clusters.prober import Prober
from framework.clusters.switch import SwitchedConnection
from framework.clusters.tools import Tools
from framework.errors import ConfigurationError
from framework.informers import InformerOptions, SharedInformer

T = TypeVar("T", bound=KubeObject)

_log = structlog.get_logger("windlass.clusters")


class RemoteCluster:
    """A client, informers and a state; made and ended by `Clusters` alone.

    It stays the same object, and so do its client and its informers, when its
    credentials are replaced.
    """

    def __init__(self, name: str, credentials: Credentials, connection: Sender, tools: Tools) -> None:
        self.name = name
        self._tools = tools
        self._credentials = credentials
        self._health = ClusterHealth(clock=tools.clock, runtime=tools.runtime, on_change=self._health_changed)
        self._connection = SwitchedConnection(connection, self._health, self.probe_now)
        self._informers = ClusterInformers(name, self._new_informer, tools.informer_metrics, tools.runtime)
        self._prober = Prober(
            name,
            self._connection,
            self._health,
            options=tools.options,
            runtime=tools.runtime,
            random=tools.random,
        )
        self._lock = tools.runtime.lock()
        self._guards: dict[str, GuardedConnection] = {}
        self._clients: dict[str, Client] = {}
        self._is_connected = True
        self.client = self.client_for("")

    @property
    def server(self) -> str:
        return self._connection.server

    @property
    def is_connected(self) -> bool:
        """False once it was disconnected: then its client refuses everything."""
        return self._is_connected

    @property
    def health(self) -> Health:
        return self._health.now

    @property
    def has_synced(self) -> bool:
        """Every informer it has holds the whole initial state of the server that it leads to now."""
        return self._is_connected and all(informer.has_synced for informer in self._informers.all())

    @property
    def problem(self) -> str | None:
        """What is wrong with it, in one line; None when nothing is."""
        health = self.health
        if health.state is ClusterState.REACHABLE:
            problems = ((informer.name, informer.problem) for informer in self._informers.all())
            return next((f"{name}: {problem}" for name, problem in problems if problem is not None), None)
        if health.error:
            return f"does not answer since {health.since:%Y-%m-%dT%H:%M:%SZ}: {health.error}"
        return "has not answered yet"

    @property
    def guards(self) -> list[GuardedConnection]:
        with self._lock:
            return list(self._guards.values())

    @property
    def informers(self) -> list[SharedInformer[Any]]:
        return self._informers.all()

    @property
    def probes(self) -> int:
        return self._prober.probes

    def client_for(self, controller: str, *, max_concurrent_requests: int | None = None) -> Client:
        """The client of *controller*, which writes as `windlass/<controller>` and has a share of its own.

        The share is what the first call for that controller says; a usual one
        is half of the controller's workers.
        """
        with self._lock:
            client = self._clients.get(controller)
            if client is None:
                guard = self._new_guard(max_concurrent_requests or self._tools.options.max_concurrent_requests)
                self._guards[controller] = guard
                manager = f"windlass/{controller}" if controller else "windlass"
                observers = self._tools.observers_of(controller)
                client = self._clients[controller] = Client(guard, field_manager=manager, observers=observers)
        return client

    def informer(self, kind: Kind[T], options: InformerOptions | None = None) -> SharedInformer[T]:
        """The one informer of this cluster for *kind* and *options*; it ends with the cluster."""
        if not self._is_connected:
            raise ConfigurationError(f"cluster {self.name!r} is disconnected; ask for it again")
        return self._informers.get(kind, options or InformerOptions())

    def remove_informer(self, informer: SharedInformer[Any]) -> None:
        """End *informer* for good; its handlers hear no more."""
        self._informers.remove(informer)

    def probe_now(self) -> None:
        """Have the cluster asked whether it answers; the state tells."""
        self._prober.probe_now()

    def start(self) -> None:
        self._informers.start()
        self._prober.start()

    def has_credentials(self, credentials: Credentials) -> bool:
        return credentials is self._credentials or credentials == self._credentials

    def use(self, credentials: Credentials, connection: Sender) -> None:
        """Go on with other credentials, perhaps at another server: every cache is read anew."""
        self._credentials = credentials
        self._connection.exchange_for(connection)
        self._health.forget()
        self._informers.start_over()
        self._prober.probe_now()

    def end(self) -> None:
        """Nothing more is sent; what is on the wire ends by itself."""
        self._is_connected = False
        self._prober.stop()
        self._informers.end()
        self._connection.close()

    def _health_changed(self, health: Health) -> None:
        if not self._is_connected:
            return
        if health.state is ClusterState.REACHABLE:
            _log.info("cluster_reachable", cluster=self.name, server=self.server)
            for informer in self._informers.all():
                informer.retry_now()
        else:
            _log.warning("cluster_unreachable", cluster=self.name, server=self.server, error=health.error)
        self._tools.on_health_change(self.name)

    def _new_guard(self, limit: int) -> GuardedConnection:
        tools = self._tools
        return GuardedConnection(
            self.name,
            self._connection,
            self._health,
            limit=limit,
            options=tools.options,
            clock=tools.clock,
            runtime=tools.runtime,
            random=tools.random,
        )

    def _new_informer(self, kind: Any, options: InformerOptions, name: str) -> SharedInformer[Any]:
        tools = self._tools
        return SharedInformer(
            kind,
            # Not through a guard: an informer has tasks of its own and takes no worker.
            client=Client(self._connection),
            clock=tools.clock,
            runtime=tools.runtime,
            random=tools.random,
            options=options,
            metrics=tools.informer_metrics,
            name=name,
        )
