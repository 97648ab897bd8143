"""Random programs: clusters join, leave and change servers, objects come and go, servers fail.

At any quiet moment the cache of each cluster is what its server has.
"""

from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ADMIN, ApiServer
from framework.apiserver.transport import InProcessTransport
from framework.client import (
    Cancellation,
    Client,
    ClusterAddress,
    Connection,
    Credentials,
    HttpRequest,
    HttpResponse,
    StaticCredentials,
)
from framework.clusters import ClusterOptions, Clusters, RemoteCluster
from framework.errors import AlreadyExists, ConnectError, NotFound
from framework.randomness import system_random
from framework.store import Change
from framework.testing.virtual_time import VirtualTime

CLUSTERS = st.sampled_from(["a", "b"])
SERVERS = st.sampled_from(["one", "two", "three"])
NAMES = st.sampled_from(["x", "y", "z"])
# A failed watch or list is tried again this soon after the server is back.
SOON = 2.0


class Middle:
    """Always the middle, so that a program does the same each time."""

    def random(self) -> float:
        return 0.5

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2

    def getrandbits(self, k: int, /) -> int:
        return 1 << (k - 1)


class Mirror:
    """What a handler believes, from the changes alone."""

    def __init__(self) -> None:
        self.uids: dict[str, str] = {}

    def on_change(self, change: Change[Any]) -> None:
        known = self.uids.get(change.key.name)
        assert known == (None if change.old is None else change.old.metadata.uid)
        self.uids.pop(change.key.name, None)
        if change.new is not None:
            self.uids[change.key.name] = change.new.metadata.uid


class FailingTransport:
    """To one server; refuses while that is *down*, and remembers with which tokens it was asked."""

    def __init__(self, inner: InProcessTransport, server: str, down: set[str], asked: set[tuple[str, str]]) -> None:
        self._inner = inner
        self._server = server
        self._down = down
        self._asked = asked

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        tokens = {header.removeprefix("X-Token: ") for header in request.headers if header.startswith("X-Token")}
        self._asked.update((self._server, token) for token in tokens)
        if self._server in self._down:
            raise ConnectError("refused")
        return self._inner.exchange(request, on_chunk=on_chunk, cancellation=cancellation)

    def close(self) -> None:
        self._inner.close()


class RegistryMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.time = VirtualTime()
        clock, runtime = self.time.clock, self.time.runtime
        names = ("one", "two", "three")
        self.servers = {name: ApiServer(clock=clock, runtime=runtime, random=system_random()) for name in names}
        self.down: set[str] = set()
        self.asked: set[tuple[str, str]] = set()
        self.leads_to: dict[str, str] = {}
        self.mirrors: dict[str, Mirror] = {}
        options = ClusterOptions(retry_seconds=1.0, probe_seconds=1.0)
        self.clusters = Clusters(self.connection, clock=clock, runtime=runtime, random=Middle(), options=options)
        self.clusters.start()

    def connection(self, credentials: Credentials) -> Connection:
        def make_transport(address: ClusterAddress) -> FailingTransport:
            clock, runtime = self.time.clock, self.time.runtime
            inner = InProcessTransport(self.servers[address.server], clock=clock, runtime=runtime, peer=ADMIN)
            return FailingTransport(inner, address.server, self.down, self.asked)

        return Connection(
            credentials,
            make_transport=make_transport,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=Middle(),
            user_agent="test",
        )

    @rule(name=CLUSTERS, server=SERVERS)
    def connect(self, name: str, server: str) -> None:
        # The secret of each server stands in a header that the server ignores.
        address = ClusterAddress(server, impersonation=(f"X-Token: for-{server}",))
        cluster = self.clusters.connect(name, StaticCredentials(address))
        if name not in self.leads_to:
            self.mirrors[name] = Mirror()
            cluster.informer(ConfigMap).add_handler(self.mirrors[name])
        self.leads_to[name] = server

    @rule(name=CLUSTERS)
    def disconnect(self, name: str) -> None:
        assert self.clusters.disconnect(name) == (self.leads_to.pop(name, None) is not None)

    @rule(server=SERVERS, name=NAMES)
    def create(self, server: str, name: str) -> None:
        try:
            self.client(server).create(ConfigMap(metadata=ObjectMeta(name=name, namespace="default")))
        except AlreadyExists:
            return

    @rule(server=SERVERS, name=NAMES)
    def delete(self, server: str, name: str) -> None:
        try:
            self.client(server).delete(ConfigMap, Key("default", name))
        except NotFound:
            return

    @rule(server=SERVERS)
    def fail(self, server: str) -> None:
        self.down.add(server)

    @rule(server=SERVERS)
    def mend(self, server: str) -> None:
        self.down.discard(server)

    @rule(seconds=st.integers(min_value=0, max_value=100))
    def advance(self, seconds: int) -> None:
        self.time.advance(seconds)

    @invariant()
    def caches_are_what_their_servers_have(self) -> None:
        self.time.advance(SOON)
        for name, server in self.leads_to.items():
            if server not in self.down:
                cluster = self.cluster(name)
                there = {one.metadata.name: one.metadata.uid for one in self.client(server).list(ConfigMap, "default")}
                held = cluster.informer(ConfigMap).lister.list("default")
                assert cluster.has_synced
                assert {one.metadata.name: one.metadata.uid for one in held} == there
                assert self.mirrors[name].uids == there

    @invariant()
    def no_token_has_met_a_server_that_it_is_not_for(self) -> None:
        assert all(token == f"for-{server}" for server, token in self.asked)

    @invariant()
    def nothing_is_left_of_clusters_that_left(self) -> None:
        alive = {task.split("-")[1].split("/")[0] for task in self.time.blocked()}
        assert alive <= set(self.leads_to)

    def client(self, server: str) -> Client:
        return in_process_client(self.servers[server])

    def cluster(self, name: str) -> RemoteCluster:
        cluster = self.clusters.get(name)
        assert cluster is not None
        return cluster

    def teardown(self) -> None:
        self.clusters.stop()
        self.time.wait_until_idle()


TestRegistryAgainstItsServers = RegistryMachine.TestCase
TestRegistryAgainstItsServers.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
