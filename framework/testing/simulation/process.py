"""One simulated process: a Manager that can end at any moment, and begin again with an empty memory."""

import random  # noqa: TID251 - seeded
from collections.abc import Callable, Mapping

import msgspec

from framework.apiserver.server import ADMIN
from framework.apiserver.transport import InProcessTransport
from framework.client import Client, ClusterAddress, Connection, Credentials, StaticCredentials
from framework.errors import ConfigurationError
from framework.journal import JournalOptions
from framework.manager import ManagerOptions
from framework.testing.simulation.bounds import Bounds, Limits
from framework.testing.simulation.faults import FaultyTransport, World
from framework.testing.simulation.network import Network
from framework.testing.simulation.plain_registry import PlainRegistry
from framework.testing.simulation.plan import HOME, Plan
from framework.testing.simulation.reviews import Reviews
from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.scenario import Register
from framework.testing.simulation.scheduler import Life, Scheduler
from framework.testing.simulation.shown import Shown
from framework.testing.simulation.site import Site, site_at
from framework.testing.simulation.surroundings import Surroundings
from framework.testing.simulation.trace import Trace
from framework.testing.simulation.watched_manager import Report, WatchedManager


class Stage(msgspec.Struct, frozen=True):
    """What all processes of one run share."""

    scheduler: Scheduler
    # By the name of the cluster.
    sites: Mapping[str, Site]
    network_of: Callable[[str], Network]
    world: World
    plan: Plan
    trace: Trace
    report: Report
    reviews: Reviews
    limits: Limits


class Host:
    """Where code of one life runs: its clock, its tasks, its connection."""

    def __init__(self, name: str, number: int, stage: Stage) -> None:
        self.manager: WatchedManager | None = None
        self._name = name
        self._stage = stage
        self.life = Life(name if number == 1 else f"{name}.{number}")
        self.clock = SimulatedClock(stage.scheduler)
        self.bounds = Bounds(name, stage.limits, stage.report)
        self.runtime = SimulatedRuntime(stage.scheduler, self.life, bounds=self.bounds)
        self.random = random.Random(f"{stage.plan.seed}/{name}/{number}")  # noqa: S311 - no secret
        self.shown = Shown(lambda: stage.scheduler.current)
        self.remote_transports: list[FaultyTransport] = []
        self.transport = self._transport(HOME)
        self.client = Client(self._connection(StaticCredentials(ClusterAddress("https://simulated")), self.transport))

    @property
    def open_watches(self) -> list[str]:
        return [path for each in (self.transport, *self.remote_transports) for path in each.open_watches]

    def connect(self, credentials: Credentials) -> Connection:
        """To the remote cluster that has the name of the server in *credentials*: `https://paris`."""
        cluster = site_at(credentials.address().server)
        if cluster == HOME or cluster not in self._stage.sites:
            raise ConfigurationError(
                f"there is no cluster {cluster!r}; known: {', '.join(filter(None, self._stage.sites))}"
            )
        transport = self._transport(cluster)
        self.remote_transports.append(transport)
        return self._connection(credentials, transport)

    def _transport(self, cluster: str) -> FaultyTransport:
        stage, name = self._stage, self._name
        replica = stage.sites[cluster].replica_of(name)
        surroundings = Surroundings(
            name,
            cluster,
            replica=replica,
            network=stage.network_of(name),
            powers=stage.world,
            trace=stage.trace,
            clock=self.clock,
        )
        return FaultyTransport(
            InProcessTransport(replica, clock=self.clock, runtime=self.runtime, peer=ADMIN),
            name,
            self.life,
            surroundings=surroundings,
            world=stage.world,
            plan=stage.plan,
            trace=stage.trace,
            scheduler=stage.scheduler,
            clock=self.clock,
            bounds=self.bounds,
            # What another cluster shows has versions of its own.
            shown=self.shown,
        )

    def _connection(self, credentials: Credentials, transport: FaultyTransport) -> Connection:
        return Connection(
            credentials,
            make_transport=lambda _: transport,
            clock=self.clock,
            runtime=self.runtime,
            random=self.random,
            user_agent=self._name,
        )


class Process:
    def __init__(self, name: str, register: Register, options: ManagerOptions, stage: Stage) -> None:
        self.name = name
        self._register = register
        # Nobody asks a simulated process why it did what it did.
        self._options = msgspec.structs.replace(options, journal=JournalOptions(keys=0))
        self._stage = stage
        self._lives = 0
        self._registries: list[PlainRegistry] = []
        self.host: Host | None = None
        # Whether all its controllers work under a lease.
        self.is_led = False

    def start(self) -> None:
        self._lives += 1
        host = self.host = Host(self.name, self._lives, self._stage)
        self._stage.trace.note(self.name, self._stage.scheduler.elapsed, "starts")
        host.runtime.spawn("main", lambda: self._main(host))

    def crash(self) -> None:
        """If the caller is one of its tasks, this never returns."""
        host, self.host = self.host, None
        if host is not None:
            self._stage.scheduler.end_life(host.life)

    def terminate(self) -> None:
        """Called by a task of its life; returns when all has ended as it should."""
        if self.host is not None and self.host.manager is not None:
            self.host.manager.stop()

    def metrics(self) -> list[tuple[str, str]]:
        """What those of each life would tell."""
        return [(self.name, registry.words()) for registry in self._registries]

    def _main(self, host: Host) -> None:
        registry = PlainRegistry()
        self._registries.append(registry)
        manager = host.manager = WatchedManager(
            host.client,
            clock=host.clock,
            runtime=host.runtime,
            random=host.random,
            registry=registry,
            options=self._options,
            connect_cluster=host.connect,
            report=self._stage.report,
            serve=lambda hosts, handler: self._stage.reviews.serve(hosts, host.life, handler),
            shown=host.shown,
        )
        self._register(manager)
        self.is_led = manager.options.lease is not None and manager.needs_leader
        manager.start()
