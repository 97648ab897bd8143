"""A controller whose watch is late and whose answers get lost, in virtual time."""

from collections.abc import Callable

from apis.core.v1 import ConfigMap, Namespace
from apis.meta import Key, ObjectMeta, Request
from framework.apiserver.server import ADMIN, ApiServer
from framework.apiserver.transport import InProcessTransport
from framework.client import (
    Cancellation,
    Client,
    ClusterAddress,
    Connection,
    HttpRequest,
    HttpResponse,
    StaticCredentials,
)
from framework.controller import ControllerOptions, Mapped
from framework.errors import TimedOut
from framework.informers import InformerOptions
from framework.listers import Lister
from framework.manager import Manager
from framework.own_writes import Mode
from framework.randomness import system_random
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime

NAMESPACE = "shop"
WANTED = 3
OWNER = Request(Key(NAMESPACE, "owner"))


class LaggingTransport:
    """Hands over each piece of a watch *lag* seconds late, and loses the answers to some creations."""

    def __init__(self, server: ApiServer, lag: Callable[[], float], lost: list[bool]) -> None:
        self._inner = InProcessTransport(server, clock=server.clock, runtime=server.runtime, peer=ADMIN)
        self._clock = server.clock
        self._lag = lag
        self._lost = lost

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        late = None if on_chunk is None else self._late(on_chunk)
        answer = self._inner.exchange(request, on_chunk=late, cancellation=cancellation)
        if request.method == "POST" and self._lost and self._lost.pop(0):
            raise TimedOut("the answer was lost")
        return answer

    def _late(self, on_chunk: Callable[[bytes], None]) -> Callable[[bytes], None]:
        def take(chunk: bytes) -> None:
            if chunk:
                self._clock.wait(self._lag())
            on_chunk(chunk)

        return take

    def close(self) -> None:
        self._inner.close()


class Cluster:
    """A server whose watches are late, and a manager that runs on it, in virtual time."""

    def __init__(self, lost: list[bool] | None = None) -> None:
        self.time = VirtualTime()
        self.lag_seconds = 0.0
        server = ApiServer(clock=self.time.clock, runtime=self.time.runtime, random=system_random())
        transport = LaggingTransport(server, lambda: self.lag_seconds, lost or [])
        self.client = _client(server, transport)
        self.client.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
        self.manager = Manager(self.client, clock=self.time.clock, runtime=self.time.runtime)

    def start(self, lag_seconds: float) -> None:
        self.manager.start()
        self.time.advance(1)
        self.lag_seconds = lag_seconds

    def stop(self) -> None:
        self.lag_seconds = 0.0
        self.time.runtime.spawn("stop", self._stop)
        self.time.advance(60)

    def _stop(self) -> None:
        self.manager.stop()


class World(Cluster):
    """A controller that makes one child after the other until there are enough, by what its lister shows."""

    def __init__(self, mode: Mode, *, lag_seconds: float, lost: list[bool] | None = None) -> None:
        super().__init__(lost)
        informer = self.manager.informer(ConfigMap, InformerOptions(namespaces=(NAMESPACE,)))
        informer.add_index("owner", owners_of)
        self.children: Lister[ConfigMap] = informer.lister
        self.reconciled: list[float] = []
        options = ControllerOptions(own_writes=mode, max_concurrent_reconciles=1)
        self.controller = self.manager.add_controller("widgets", self, [Mapped(informer, requests_of)], options)
        self.writer = self.manager.client_for("widgets")
        self.start(lag_seconds)

    def reconcile(self, request: Request) -> Result:
        self.reconciled.append(self.time.clock.monotonic())
        if len(self.children.by_index("owner", request.name)) >= WANTED:
            return Result.await_change()
        meta = ObjectMeta(generate_name="child-", namespace=NAMESPACE, labels={"owner": request.name})
        self.writer.create(ConfigMap(metadata=meta))
        return Result.after(0.1)

    def run(self, seconds: float) -> int:
        """How many children there are after *seconds*."""
        self.controller.enqueue(OWNER)
        self.time.advance(seconds)
        return len(self.client.list(ConfigMap, NAMESPACE, labels="owner=owner"))


def _client(server: ApiServer, transport: LaggingTransport) -> Client:
    connection = Connection(
        StaticCredentials(ClusterAddress("https://in-process")),
        make_transport=lambda _: transport,
        clock=server.clock,
        runtime=server.runtime,
        random=server.random,
        user_agent="test",
    )
    return Client(connection)


def owners_of(obj: ConfigMap) -> list[str]:
    owner = obj.metadata.labels.get("owner")
    return [] if owner is None else [owner]


def requests_of(obj: ConfigMap) -> list[Request]:
    return [Request(Key(NAMESPACE, owner)) for owner in owners_of(obj)]
