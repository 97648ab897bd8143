"""Remote clusters in virtual time: servers that answer, refuse or hang as the test says."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs
from structlog.typing import EventDict

from framework.client import (
    Cancellation,
    ClusterAddress,
    Connection,
    Credentials,
    HttpRequest,
    HttpResponse,
    StaticCredentials,
)
from framework.clusters import ClusterMetrics, ClusterOptions, Clusters, RemoteCluster
from framework.errors import Cancelled, ConnectError, TimedOut
from framework.informers import InformerMetrics
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

OBJECT = {"metadata": {"name": "a", "namespace": "default", "uid": "u", "resourceVersion": "7"}}


class Server:
    """One API server at an address: answers every request with 200, unless it is told otherwise."""

    def __init__(self, time: VirtualTime, url: str) -> None:
        self._time = time
        self.url = url
        self.requests: list[HttpRequest] = []
        self.failure: Exception | None = None
        self.status = 200
        self._released = time.runtime.event()
        self._released.set()
        self.waiting = 0
        self.most_waiting = 0

    def hang(self) -> None:
        """Accept requests and answer none."""
        self._released.clear()

    def recover(self) -> None:
        self.failure, self.status = None, 200
        self._released.set()

    @property
    def probes(self) -> int:
        return sum(request.target == "/version" for request in self.requests)

    @property
    def tokens(self) -> set[str]:
        headers = [header for request in self.requests for header in request.headers]
        return {header.removeprefix("Authorization: ") for header in headers if header.startswith("Authorization")}

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        self.requests.append(request)
        if self.failure is not None:
            raise self.failure
        if "watch=true" in request.target:
            self._watch(on_chunk, cancellation)
        self._wait(request, cancellation)
        if on_chunk is not None and self.status < 300:
            on_chunk(b"")
        return HttpResponse(self.status, {}, msgspec.json.encode({"code": self.status, "message": "no", **OBJECT}))

    def _watch(self, on_chunk: Any, cancellation: Any) -> None:
        ended = self._time.runtime.event()
        cancellation.on_request(ended.set)
        if self._released.is_set():
            on_chunk(b"")
            annotations = {"k8s.io/initial-events-end": "true"}
            mark = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9", "annotations": annotations}}}
            on_chunk(msgspec.json.encode(mark) + b"\n")
        ended.wait()
        raise Cancelled("ended from this side")

    def _wait(self, request: HttpRequest, cancellation: Cancellation | None) -> None:
        if self._released.is_set():
            return
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        if cancellation is not None:
            cancellation.on_request(self._released.set)
        is_released = self._released.wait(request.timeouts.total_seconds)
        self.waiting -= 1
        if not is_released:
            raise TimedOut(f"{self.url}: no answer")

    def close(self) -> None:
        pass


class Stage:
    """A registry of clusters, and the servers that they lead to."""

    def __init__(self, options: ClusterOptions) -> None:
        self.time = VirtualTime()
        self.servers: dict[str, Server] = {}
        self.registry = CollectorRegistry()
        self.clusters = Clusters(
            self.connection,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
            options=options,
            informer_metrics=InformerMetrics(self.registry),
        )
        ClusterMetrics(self.clusters, self.registry)

    def server(self, url: str) -> Server:
        return self.servers.setdefault(url, Server(self.time, url))

    def connection(self, credentials: Credentials) -> Connection:
        def make_transport(address: ClusterAddress) -> Server:
            if address.server == "https://nowhere":
                raise ConnectError("nobody is there")
            return self.server(address.server)

        return Connection(
            credentials,
            make_transport=make_transport,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
            user_agent="test",
        )

    def connect(self, name: str, url: str = "", token: str | None = None) -> RemoteCluster:
        cluster = self.clusters.connect(name, credentials(url or f"https://{name}", token))
        self.time.wait_until_idle()
        return cluster

    def act(self, act: Callable[[], object]) -> list[object]:
        """Run *act* in a task; what it returned or raised is in the list once it has ended."""
        outcome: list[object] = []

        def run() -> None:
            try:
                outcome.append(act())
            except Exception as error:  # noqa: BLE001 - the test looks at it
                outcome.append(error)

        self.time.runtime.spawn("worker", run)
        self.time.wait_until_idle()
        return outcome

    def value(self, metric: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(metric, labels)

    def stop(self) -> None:
        for server in self.servers.values():
            server.recover()
        self.clusters.stop()
        self.time.wait_until_idle()


def credentials(url: str, token: str | None = None) -> StaticCredentials:
    return StaticCredentials(ClusterAddress(url), token)


Make = Callable[..., Stage]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Stage] = []

    def go(**options: Any) -> Stage:
        stage = Stage(ClusterOptions(**options))
        stage.clusters.start()
        made.append(stage)
        return stage

    yield go
    for stage in made:
        stage.stop()


@pytest.fixture
def stage(make: Make) -> Stage:
    return make()


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured
