"""The measures, in the order in which they must come: each begins where the one before has ended."""

import math
from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from apis.apps.v1 import Deployment
from apis.meta import Key
from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane.process import Process
from framework.testing.control_plane.waiting import wait_until
from hack.bench.laf.audit import Counts, count, total
from hack.bench.laf.fleet import Fleet, Server
from hack.bench.laf.observer import BenchError, Observer
from hack.bench.laf.population import Population
from hack.bench.laf.results import Converged, Paced, Quiet
from hack.bench.laf.sizes import Sizes
from hack.bench.processes import cpu_seconds, peak_kib, resident_kib

_CONVERGE_LIMIT_SECONDS = 1800.0
_SETTLE_SECONDS, _SETTLE_LIMIT_SECONDS = 10.0, 300.0
_CHANGE_LIMIT_SECONDS = 180.0
_CLUSTER_LIMIT_SECONDS = 180.0
# A probe comes up to a tenth later than its period says.
_JITTER = 1.15
_KIB_PER_MIB = 1024


class Measures:
    def __init__(
        self,
        fleet: Fleet,
        controllers: Process,
        population: Population,
        observer: Observer,
        sizes: Sizes,
    ) -> None:
        self._fleet = fleet
        self._controllers = controllers
        self._population = population
        self._observer = observer
        self._sizes = sizes
        self._clock = SystemClock()
        # That of each Instance by now; every change of its spec raises it by one.
        self._generations = dict.fromkeys(population.instances, 1)
        # Known once the Instances have converged.
        self._changes_a_second = 0.0

    def wait_for_clusters(self) -> None:
        self._observer.wait_for_clusters(self._sizes.clusters, _CLUSTER_LIMIT_SECONDS)

    def converge(self) -> Converged:
        marks, started, cpu = self._fleet.marks(), self._clock.monotonic(), self._cpu_seconds
        server_cpu = self._server_cpu_seconds()
        self._population.create_instances()
        self._observer.wait_for(self._generations, _CONVERGE_LIMIT_SECONDS)
        wall, cpu = self._clock.monotonic() - started, self._cpu_seconds - cpu
        self._changes_a_second = self._sizes.instances / wall * self._sizes.share_of_pace
        used = {name: seconds - server_cpu[name] for name, seconds in self._server_cpu_seconds().items()}
        return Converged(
            wall_seconds=wall,
            cpu_seconds=cpu,
            rss_mib=self._rss_mib,
            peak_rss_mib=peak_kib(self._controllers.pid) / _KIB_PER_MIB,
            server_cpu_seconds=used,
            requests=self._requests_since(marks),
            deployments=sum(map(self._deployments_in_place, self._fleet.remotes)),
        )

    def quiet(self) -> Quiet:
        converged = self._clock.monotonic()
        # How it ends is for the verdict to say: if it does not come to rest, there are requests in the window.
        wait_until(self._nothing_happens_for_a_while, limit_seconds=_SETTLE_LIMIT_SECONDS)
        marks, started, cpu = self._fleet.marks(), self._clock.monotonic(), self._cpu_seconds
        self._clock.wait(self._sizes.probe_seconds * self._sizes.quiet_probes * _JITTER)
        wall, cpu = self._clock.monotonic() - started, self._cpu_seconds - cpu
        probed = [each for each in self._fleet.remotes if count(each.record.since(marks[each.name])).probes]
        return Quiet(
            settle_seconds=started - converged,
            wall_seconds=wall,
            cpu_seconds=cpu,
            rss_mib=self._rss_mib,
            probed=len(probed),
            requests=self._requests_since(marks),
        )

    def undisturbed(self) -> Paced:
        return self._paced(lambda: self._change_and_wait(self._everybody()))

    def hanging(self) -> Paced:
        def change() -> Mapping[Key, datetime]:
            with self._fleet.hanging(self._victim):
                return self._change_and_wait(self._others())

        found = self._paced(change)
        returned = self._clock.monotonic()
        self._observer.wait_for(self._generations, _CHANGE_LIMIT_SECONDS)
        self.wait_for_clusters()
        return msgspec.structs.replace(found, return_seconds=self._clock.monotonic() - returned)

    @property
    def _victim(self) -> Server:
        return self._fleet.remotes[-1]

    def _everybody(self) -> list[Key]:
        return self._population.instances[: self._sizes.changes]

    def _others(self) -> list[Key]:
        return [key for key in self._everybody() if self._observer.cluster_of[key] != self._victim.name]

    def _paced(self, change: Callable[[], Mapping[Key, datetime]]) -> Paced:
        marks, cpu = self._fleet.marks(), self._cpu_seconds
        sent = change()
        cpu = self._cpu_seconds - cpu
        done = self._carried_out_since(marks)
        others = self._others()
        lost = [key for key in others if key not in done]
        if lost:
            raise BenchError(f"{len(lost)} changes are done by word of the hub, but not of their cluster: {lost[:5]}")
        return Paced(
            changes=len(sent),
            changes_a_second=self._changes_a_second,
            seconds=[(done[key] - sent[key]).total_seconds() for key in others],
            cpu_seconds=cpu,
            rss_mib=self._rss_mib,
        )

    def _change_and_wait(self, awaited: list[Key]) -> Mapping[Key, datetime]:
        """Change everybody, one after the other at an even pace, whatever becomes of those before."""
        sent: dict[Key, datetime] = {}
        started = self._clock.monotonic()
        for number, key in enumerate(self._everybody()):
            due = started + number / self._changes_a_second
            self._clock.wait(max(0.0, due - self._clock.monotonic()))
            self._generations[key] += 1
            sent[key] = self._clock.now()
            # The generation of one that was never changed is 1, and so is its number of replicas.
            self._population.scale(key, self._generations[key])
        self._observer.wait_for({key: self._generations[key] for key in awaited}, _CHANGE_LIMIT_SECONDS)
        return sent

    def _carried_out_since(self, marks: Mapping[str, int]) -> dict[Key, datetime]:
        """When each Deployment was changed, by the word of the server that has it."""
        found: dict[Key, datetime] = {}
        for remote in self._fleet.remotes:
            for asked in remote.record.since(marks[remote.name]):
                if asked.verb == "patch" and asked.is_done and "/deployments/" in asked.path:
                    namespace, _, name = asked.path.rpartition("/namespaces/")[2].partition("/deployments/")
                    found.setdefault(Key(namespace, name.removesuffix("-deployment")), asked.stage_timestamp)
        return found

    def _nothing_happens_for_a_while(self) -> bool:
        marks = self._fleet.marks()
        self._clock.wait(_SETTLE_SECONDS)
        return not any(each.work for each in self._requests_since(marks).values())

    def _deployments_in_place(self, remote: Server) -> int:
        """How many Deployments are there whose Instances say so."""
        client = connect(from_kubeconfig(str(remote.kubeconfig_file), clock=self._clock))
        try:
            found = {(each.metadata.namespace, each.metadata.name) for each in client.list(Deployment)}
        finally:
            client.connection.close()
        bound = [key for key, name in self._observer.cluster_of.items() if name == remote.name]
        return sum((key.namespace, f"{key.name}-deployment") in found for key in bound)

    def _requests_since(self, marks: Mapping[str, int]) -> dict[str, Counts]:
        return {
            group: total(count(each.record.since(marks[each.name])) for each in servers)
            for group, servers in self._fleet.groups().items()
        }

    def _server_cpu_seconds(self) -> dict[str, float]:
        return {
            group: math.fsum(each.cpu_seconds for each in servers) for group, servers in self._fleet.groups().items()
        }

    @property
    def _cpu_seconds(self) -> float:
        return cpu_seconds(self._controllers.pid)

    @property
    def _rss_mib(self) -> float:
        return resident_kib(self._controllers.pid) / _KIB_PER_MIB
