"""Replicas of one program on one embedded server, in virtual time, each behind a link that can go wrong."""

from collections.abc import Callable
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry

from apis.coordination.v1 import Lease
from apis.core.v1 import ConfigMap
from apis.meta import Key, KubeObject, ObjectMeta, Request, resource_type_of
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
from framework.controller import Controller, ControllerOptions, Primary
from framework.errors import Cancelled
from framework.informers import InformerOptions
from framework.manager import Manager, ManagerOptions
from framework.manager.acted_upon import ANNOTATION
from framework.reconcile import Reconciler, Result
from framework.testing.virtual_time import VirtualTime

NAMESPACE = "default"
LEASE = Key(NAMESPACE, "windlass")
LEASES = resource_type_of(Lease).path(NAMESPACE)
Reconcile = Callable[["Replica", Request], Any]
Fault = Callable[[HttpRequest], HttpResponse | None]


class Written(msgspec.Struct, frozen=True):
    """A write that the server has applied."""

    replica: str
    method: str
    path: str
    body: dict[str, Any]

    @property
    def is_of_the_lease(self) -> bool:
        return self.path.startswith(LEASES)


class Half:
    """Always in the middle."""

    def random(self) -> float:
        return 0.5

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2

    def getrandbits(self, k: int, /) -> int:
        return k


class Link:
    """The Transport of one replica. A replica that stands still does so at its next exchange."""

    def __init__(self, replica: str, world: "World") -> None:
        self._replica = replica
        self._world = world
        self._inner = InProcessTransport(world.server, clock=world.time.clock, runtime=world.time.runtime, peer=ADMIN)
        self._goes = world.time.runtime.event()
        self._goes.set()
        self.requests: list[HttpRequest] = []
        # Stand still at this exchange, counted from now.
        self.stops_before: int | None = None
        # Watches bring nothing any more, though they look as if they were open.
        self.is_deaf = False
        self.fault: Fault = lambda _: None

    def stand_still(self) -> None:
        self._goes.clear()

    def go_on(self) -> None:
        self.stops_before = None
        self._goes.set()

    @property
    def is_standing_still(self) -> bool:
        return not self._goes.is_set()

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        self._pass()
        self.requests.append(request)
        answer = self.fault(request)
        if answer is None:
            take = None if on_chunk is None else lambda chunk: self._take(chunk, on_chunk, cancellation)
            answer = self._inner.exchange(request, on_chunk=take, cancellation=cancellation)
        if not request.is_read and answer.status < 300:
            path = request.target.partition("?")[0]
            self._world.written.append(
                Written(self._replica, request.method, path, msgspec.json.decode(request.body or b"{}"))
            )
        return answer

    def close(self) -> None:
        self._inner.close()

    def _pass(self) -> None:
        if self.stops_before is not None:
            if self.stops_before == 0:
                self.stand_still()
            self.stops_before -= 1
        self._goes.wait()

    def _take(self, chunk: bytes, on_chunk: Callable[[bytes], None], cancellation: Cancellation | None) -> None:
        if self.is_deaf and cancellation is not None:
            ended = self._world.time.runtime.event()
            cancellation.on_request(ended.set)
            ended.wait()
            raise Cancelled("ended from this side")
        on_chunk(chunk)


class Replica:
    def __init__(self, name: str, world: "World", reconcile: Reconcile) -> None:
        self.name = name
        self.link = Link(name, world)
        self.seen: list[str] = []
        self.registry = CollectorRegistry()
        self.clock = world.time.clock
        connection = Connection(
            StaticCredentials(ClusterAddress("https://embedded")),
            make_transport=lambda _: self.link,
            clock=world.time.clock,
            runtime=world.time.runtime,
            random=Half(),
            user_agent=name,
        )
        self.manager = Manager(
            Client(connection),
            clock=world.time.clock,
            runtime=world.time.runtime,
            random=Half(),
            registry=self.registry,
            options=ManagerOptions(lease=LEASE, identity=name, namespaces=(NAMESPACE,), grace_period_seconds=5.0),
        )
        self.client = self.manager.client_for("maps")
        self.maps = self.manager.informer(ConfigMap, InformerOptions(namespaces=(NAMESPACE,)))
        self._reconcile = reconcile
        self.controller = self.add("maps")

    def add(
        self, name: str, *, kind: Any = ConfigMap, reconciler: Reconciler | None = None, **options: Any
    ) -> Controller:
        source: Primary[Any] = Primary(self.manager.informer(kind, InformerOptions(namespaces=(NAMESPACE,))))
        one_at_a_time = ControllerOptions(max_concurrent_reconciles=1, **options)
        return self.manager.add_controller(name, reconciler or self, [source], one_at_a_time)

    def reconcile(self, request: Request) -> Result:
        found = self.maps.lister.get(request.key)
        self.seen.append(f"{request.name}={found.data.get('text', '') if found else None}")
        answer = self._reconcile(self, request)
        return answer if isinstance(answer, Result) else Result.await_change()

    @property
    def leads(self) -> bool:
        assert self.manager.elector is not None
        return self.manager.elector.leading.is_set()

    def metric(self, name: str) -> float | None:
        return self.registry.get_sample_value(name, {"name": LEASE.name})


class World:
    def __init__(self) -> None:
        self.time = VirtualTime()
        self.server = ApiServer(clock=self.time.clock, runtime=self.time.runtime)
        self.written: list[Written] = []
        self._user = Replica("user", self, lambda *_: None)
        self._replicas: list[Replica] = []

    def start(self, name: str, reconcile: Reconcile = lambda *_: None, prepare: Any = None) -> Replica:
        replica = Replica(name, self, reconcile)
        if prepare is not None:
            prepare(replica)
        self._replicas.append(replica)
        replica.manager.start()
        self.time.advance(1)
        return replica

    def put(self, name: str, text: str) -> None:
        """Create or change a ConfigMap, as a user does."""
        manifest = {"metadata": {"name": name, "namespace": NAMESPACE}, "data": {"text": text}}
        self._user.manager.client.apply(ConfigMap, manifest)
        self.time.wait_until_idle()

    def get(self, name: str) -> ConfigMap:
        return self._user.manager.client.get(ConfigMap, Key(NAMESPACE, name))

    def text_of(self, name: str) -> dict[str, str]:
        return dict(self.get(name).data)

    def create(self, obj: KubeObject) -> None:
        self._user.manager.client.create(obj)
        self.time.wait_until_idle()

    def delete(self, name: str) -> None:
        self._user.manager.client.delete(ConfigMap, Key(NAMESPACE, name))
        self.time.wait_until_idle()

    def lease(self) -> Lease:
        return self._user.manager.client.get(Lease, LEASE)

    def annotate(self, text: str) -> None:
        patch = {"metadata": {"annotations": {ANNOTATION: text}}}
        self._user.manager.client.merge_patch(Lease, LEASE, patch)

    def create_lease(self, annotation: str) -> None:
        metadata = ObjectMeta(name=LEASE.name, namespace=NAMESPACE, annotations={ANNOTATION: annotation})
        self.create(Lease(metadata=metadata))

    def in_task(self, act: Callable[[], object]) -> list[object]:
        """What *act* returned or raised, once it has ended."""
        outcome: list[object] = []

        def run() -> None:
            try:
                outcome.append(act())
            except Exception as error:  # noqa: BLE001 - the test looks at it
                outcome.append(error)

        self.time.runtime.spawn("test", run)
        self.time.wait_until_idle()
        return outcome

    def stop(self, replica: Replica) -> None:
        """As SIGTERM does."""
        self.in_task(replica.manager.stop)
        self.time.advance(1)

    def end(self) -> None:
        for replica in self._replicas:
            replica.link.go_on()
            self.in_task(replica.manager.stop)
        self.time.advance(120)
