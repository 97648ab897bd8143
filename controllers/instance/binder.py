"""Gives an Instance its place, and keeps the books of what is reserved there."""

from collections.abc import Iterable

from apis.apps.v1 import Deployment
from apis.laf.cluster import Cluster
from apis.laf.instance import Granted, Instance, InstanceSpec
from apis.meta import Key
from controllers.instance.bookings import Bookings
from controllers.instance.desired import names_of
from controllers.instance.needs import Need, need_of
from controllers.instance.placement import Candidate, Refusal, Wish, choose
from controllers.laf.remote_objects import is_marked, ours
from controllers.laf.remotes import Remotes
from controllers.laf.settings import LafSettings
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.listers import Lister

_GRANTED = Observation("CapacityAvailable", "True", "Granted")


class NotJudged(Exception):
    """A Cluster that could be chosen has not been looked at yet by this process; it will be soon."""


class Binder:
    def __init__(
        self,
        *,
        clusters: Lister[Cluster],
        remotes: Remotes,
        bookings: Bookings,
        status: StatusWriter[Instance],
        settings: LafSettings,
    ) -> None:
        self._clusters = clusters
        self._remotes = remotes
        self._bookings = bookings
        self._status = status
        self._settings = settings

    def pinned(self, instance: Instance, spec: InstanceSpec) -> Cluster | None:
        """The Cluster that *spec* asks for: one of its own namespace comes first."""
        keys = (Key(namespace, spec.cluster_name) for namespace in self._namespaces(instance))
        found = (self._clusters.get(key) for key in keys)
        return next((cluster for cluster in found if cluster is not None), None)

    def bind(self, instance: Instance, spec: InstanceSpec, granted: Granted) -> Instance | Refusal:
        """*instance* with its place recorded, before anything is sent there. Raises NotJudged."""
        candidates = [each for name in self._namespaces(instance) for each in self._clusters.list(name)]
        if any(each.spec and each.spec.region == spec.region and not self._is_judged(each) for each in candidates):
            raise NotJudged
        need = need_of(granted)
        with self._bookings.deciding():
            chosen = self._choose(instance, spec, need, candidates)
            if isinstance(chosen, Refusal):
                return chosen
            with self._bookings.recording(instance.key, chosen.metadata.uid, need):
                return self._status.write(
                    instance,
                    Observation("clusterSelected", "True", "ClusterSelected", f"placed on Cluster {chosen.key}"),
                    _GRANTED,
                    clusterName=chosen.metadata.name,
                    clusterNamespace=chosen.metadata.namespace,
                    clusterUID=chosen.metadata.uid,
                    reserved=need.to_reserved(),
                    granted=granted,
                    status="Starting",
                )

    def grant(self, instance: Instance, cluster: Cluster, wanted: Granted) -> tuple[Instance, Granted]:
        """*instance* with what it may use: all that is *wanted*, if there is room for it; else what it had."""
        present, need = instance.status.granted, need_of(wanted)
        reserved = Need.of_reserved(instance.status.reserved)
        if present is None or need.is_within(reserved):
            # Nothing is known of what it had, and it is there; or it needs no more than it has.
            return instance, wanted
        with self._bookings.deciding():
            uid = cluster.metadata.uid
            load = self._bookings.load_of(uid, without=instance.key)
            if not Candidate(cluster, is_ready=True, load=load).fits(need, instances=0):
                text = f"Cluster {cluster.key} has no room for what is wanted; what was granted stays"
                held = Observation("CapacityAvailable", "False", "InsufficientCapacity", text)
                return self._status.write(instance, held), present
            booked = need.at_least(reserved)
            with self._bookings.recording(instance.key, uid, booked):
                written = self._status.write(instance, _GRANTED, reserved=booked.to_reserved(), granted=wanted)
        return written, wanted

    def _choose(
        self, instance: Instance, spec: InstanceSpec, need: Need, clusters: Iterable[Cluster]
    ) -> Cluster | Refusal:
        candidates = [self._candidate(each, instance) for each in clusters]
        holder = next((each.cluster for each in candidates if self._holds(each, instance, spec)), None)
        if holder is not None:
            return holder
        pin = None
        if spec.cluster_name:
            pinned = self.pinned(instance, spec)
            pin = ("" if pinned is None else pinned.metadata.uid, spec.cluster_name)
        return choose(candidates, Wish(spec.region, need, pin))

    def _candidate(self, cluster: Cluster, instance: Instance) -> Candidate:
        load = self._bookings.load_of(cluster.metadata.uid, without=instance.key)
        return Candidate(cluster, is_ready=self._remotes.of(cluster) is not None, load=load)

    def _holds(self, candidate: Candidate, instance: Instance, spec: InstanceSpec) -> bool:
        """Whether our Deployment for it is there already: its records were lost, and it must not run twice."""
        cluster, remote = candidate.cluster, self._remotes.of(candidate.cluster)
        if remote is None or cluster.spec is None or cluster.spec.region != spec.region:
            return False
        hub_id = self._settings.hub_id
        _, name, _ = names_of(instance)
        lister = remote.cluster.informer(Deployment, ours(hub_id)).lister
        found = lister.get(Key(instance.metadata.namespace, name))
        return found is not None and is_marked(found, hub_id, instance.key)

    def _is_judged(self, cluster: Cluster) -> bool:
        return cluster.metadata.is_being_deleted or self._remotes.is_judged(cluster.metadata.uid)

    def _namespaces(self, instance: Instance) -> Iterable[str]:
        """Of the Clusters that it may be placed on: no tenant attracts the workloads of another."""
        return dict.fromkeys((instance.metadata.namespace, self._settings.system_namespace))
