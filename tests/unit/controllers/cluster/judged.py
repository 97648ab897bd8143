"""A Cluster and the server that it leads to, judged again and again in virtual time."""

from typing import Any

import msgspec

from apis.laf.cluster import Cluster, ClusterSpec, ClusterStatus
from apis.meta import ObjectMeta
from controllers.cluster.judge import Judge
from controllers.cluster.link import Links
from controllers.cluster.look import Look
from controllers.cluster.reasons import READY
from controllers.laf.remotes import Remotes
from controllers.laf.settings import LafSettings
from controllers.reporting.observation import Observation
from framework.client import HttpRequest, HttpResponse
from framework.clusters import ClusterOptions
from framework.conditions import observed_condition, with_condition
from framework.errors import Cancelled
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.clusters.conftest import Server, Stage

URL = "https://remote"
# More than all repetitions of a request that fails.
_REQUEST_SECONDS = 15.0


class ApiServer(Server):
    """Knows what a probe asks for."""

    def __init__(self, time: VirtualTime, url: str) -> None:
        super().__init__(time, url)
        self.cluster_id = "the-first"
        # Whether we may do anything there; else anything but this.
        self.is_ours_alone = False
        self.refused: tuple[str, ...] = ()
        self.reviews = 0
        self.fills_caches = True

    def exchange(self, request: HttpRequest, **how: Any) -> HttpResponse:
        response = super().exchange(request, **how)
        if response.status >= 300:
            return response
        answer = {"gitVersion": "v1.30.0", "metadata": {"name": "kube-system", "uid": self.cluster_id}}
        return HttpResponse(200, {}, msgspec.json.encode({**answer, "status": {"allowed": self._allows(request)}}))

    def _allows(self, request: HttpRequest) -> bool:
        if not request.target.startswith("/apis/authorization.k8s.io/") or request.body is None:
            return True
        self.reviews += 1
        asked = msgspec.json.decode(request.body)["spec"]["resourceAttributes"]
        if asked["resource"] == "*":
            return self.is_ours_alone
        return f"{asked['verb']} {asked['resource']}" not in self.refused

    def _watch(self, on_chunk: Any, cancellation: Any) -> None:
        if self.fills_caches:
            super()._watch(on_chunk, cancellation)
        ended = self._time.runtime.event()
        cancellation.on_request(ended.set)
        ended.wait()
        raise Cancelled("ended from this side")


class Random:
    """No jitter: the middle of everything."""

    def random(self) -> float:
        return 0.5

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2

    def getrandbits(self, k: int, /) -> int:
        return 1 << (k - 1)


class Judged:
    """Tells what was judged as the controller does, so that the next judgement knows it."""

    def __init__(self, **settings: Any) -> None:
        self.stage = Stage(ClusterOptions(probe_seconds=None))
        self.server = ApiServer(self.stage.time, URL)
        self.stage.servers[URL] = self.server
        self.stage.clusters.start()
        self.settings = LafSettings(hub_id="hub", **settings)
        self.remotes = Remotes(self.stage.time.runtime)
        self.links = Links(self.stage.clusters, self.remotes)
        look = Look(self.stage.time.clock, max_concurrent_requests=2)
        self.judge = Judge(
            self.links, look, settings=self.settings, retry_seconds=5.0, clock=self.stage.time.clock, random=Random()
        )
        self.cluster = a_cluster(kubeconfig("first"))

    @property
    def link(self) -> Any:
        return self.links.of(self.cluster)

    def replace_kubeconfig(self, text: str) -> None:
        spec = ClusterSpec(region="east", client_config=text)
        metadata = msgspec.structs.replace(self.cluster.metadata, generation=self.cluster.metadata.generation + 1)
        self.cluster = msgspec.structs.replace(self.cluster, spec=spec, metadata=metadata)

    def ready(self) -> Observation | None:
        outcome = self.stage.act(lambda: self.judge.ready(self.cluster, self.link))
        if not outcome:
            self.stage.time.advance(_REQUEST_SECONDS)
        [seen] = outcome
        assert seen is None or isinstance(seen, Observation), seen
        if seen is not None:
            self._tell(seen)
        return seen

    def reason(self) -> str:
        """Of what is judged now; empty if nothing is."""
        seen = self.ready()
        return "" if seen is None else seen.reason

    def next(self) -> str:
        """The reason, when it is time to look again."""
        seconds = self.judge.seconds_to_next(self.link)
        assert seconds is not None
        self.stage.time.advance(seconds)
        return self.reason()

    def until_ready(self) -> None:
        self.ready()
        for _ in range(5):
            if self.reason() == "ClusterReady":
                return
        raise AssertionError("it is not ready")

    def stop(self) -> None:
        self.stage.stop()

    def _tell(self, seen: Observation) -> None:
        now = self.stage.time.clock.now()
        told = observed_condition(self.cluster, READY, seen.status, reason=seen.reason, message=seen.message, now=now)
        status = msgspec.structs.replace(
            self.cluster.status,
            conditions=with_condition(self.cluster.status.conditions, told),
            client_config_hash=self.link.config_hash,
        )
        self.cluster = msgspec.structs.replace(self.cluster, status=status)


def a_cluster(client_config: str, uid: str = "uid-1", **status: Any) -> Cluster:
    return Cluster(
        metadata=ObjectMeta(name="east-1", namespace="laf-system", uid=uid, generation=1),
        spec=ClusterSpec(region="east", client_config=client_config),
        status=ClusterStatus(**status),
    )


def kubeconfig(token: str, server: str = URL) -> str:
    return f"""
clusters: [{{name: c, cluster: {{server: "{server}"}}}}]
users: [{{name: u, user: {{token: "{token}"}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
"""
