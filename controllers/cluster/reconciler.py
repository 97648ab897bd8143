"""From a kubeconfig to a cluster that Instances can be placed on, and back."""

from collections.abc import Sequence

from apis.laf.cluster import Cluster
from apis.laf.instance import Instance
from apis.meta import Request
from controllers.cluster.failure import Failure
from controllers.cluster.judge import Judge
from controllers.cluster.link import Link, Links
from controllers.cluster.probe import Findings
from controllers.cluster.reasons import CLUSTER_READY, PROBING, READY
from controllers.cluster.sweep import Sweep
from controllers.cluster.usage import used_by
from controllers.laf.remotes import Remote, Remotes
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.conditions import find_condition, is_true
from framework.events import EventRecorder, EventType
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.reconcile import Result

FINALIZER = "cluster.instance.laf.dev"
FORCE_DELETE = "laf.dev/force-delete"
# Of Instances: the uid of the Cluster that each is bound to.
BOUND_INDEX = "cluster/bound-to"
ACTION = "Probe"
_DELETION_BLOCKED, _MOST_NAMED = "DeletionBlocked", 5


class ClusterReconciler:
    def __init__(
        self,
        *,
        clusters: Lister[Cluster],
        instances: Lister[Instance],
        client: Client,
        status: StatusWriter[Cluster],
        recorder: EventRecorder,
        links: Links,
        judge: Judge,
        remotes: Remotes,
        sweep: Sweep,
        namespaces: Sequence[str] = ("",),
    ) -> None:
        """Instances are looked for in *namespaces*; an empty one is all."""
        self._clusters = clusters
        self._instances = instances
        self._client = client
        self._status = status
        self._recorder = recorder
        self._links = links
        self._judge = judge
        self._remotes = remotes
        self._sweep = sweep
        self._namespaces = namespaces
        self._finalizer = Finalizer(client, Cluster, FINALIZER)

    def reconcile(self, request: Request) -> Result:
        cluster = self._clusters.get(request.key)
        if cluster is None:
            self._links.drop(request.key)
            return Result.await_change()
        bound = self._instances.by_index(BOUND_INDEX, cluster.metadata.uid)
        if cluster.metadata.is_being_deleted:
            bound = bound or self._living_instances(cluster)
            if not bound or not self._finalizer.is_on(cluster) or _is_forced(cluster):
                self._links.drop(cluster.key)
                self._finalizer.finish(cluster)
                return Result.await_change()
        else:
            cluster = self._finalizer.ensure(cluster)
        link = self._links.of(cluster)
        # Also of one that is being deleted: its Instances are to be cleaned up there.
        ready = self._judge.ready(cluster, link)
        self._withdraw_unless(ready, link)
        cluster = self._tell(cluster, link, ready, bound)
        if ready is not None and ready.reason == CLUSTER_READY:
            self._admit(cluster, link)
            for note in self._sweep.run_if_due(cluster, link):
                self._record(cluster, "Normal", "OrphanDeleted", note)
        seconds = self._judge.seconds_to_next(link)
        return Result.await_change() if seconds is None else Result.after(seconds)

    def _living_instances(self, cluster: Cluster) -> list[Instance]:
        # A cache may not have heard of the newest one, and what is let go cannot be had back.
        living = [each for namespace in self._namespaces for each in self._client.list(Instance, namespace)]
        return [each for each in living if each.status.cluster_uid == cluster.metadata.uid]

    def _withdraw_unless(self, ready: Observation | None, link: Link) -> None:
        """Before anything is told: nothing more may be sent there for an Instance."""
        if ready is None:
            # One that was ready in this process stays so until it is told otherwise. Of any other it is known now
            # that it does not answer, although its status may still say what an earlier process saw.
            is_over = isinstance(link.outcome, Failure) and not link.is_admitted
        else:
            is_over = ready.reason != CLUSTER_READY
        if is_over:
            link.is_admitted, link.swept_at = False, None
            self._remotes.withdraw(link.uid)

    def _tell(self, cluster: Cluster, link: Link, ready: Observation | None, bound: Sequence[Instance]) -> Cluster:
        seen = [_deletion(cluster, bound)]
        fields: dict[str, object] = {"used": used_by(bound), "instanceCount": len(bound)}
        was_told = find_condition(cluster.status.conditions, READY) is not None
        before = cluster.status
        if ready is not None:
            seen.append(ready)
            fields |= {"observedGeneration": cluster.metadata.generation, "clientConfigHash": link.config_hash}
            fields |= _found(ready, link.outcome)
        elif not was_told:
            seen.append(Observation(READY, "Unknown", PROBING, "it has not been asked yet"))
        written = self._status.write(cluster, *seen, **fields)
        if before.client_config_hash not in ("", written.status.client_config_hash) and link.config_hash:
            self._record(
                written, "Normal", "ClientConfigRotated", "the kubeconfig was replaced; the old one is not used"
            )
        if seen[0].status == "True" and not is_true(before.conditions, _DELETION_BLOCKED):
            self._record(written, "Warning", _DELETION_BLOCKED, seen[0].message)
        return written

    def _admit(self, cluster: Cluster, link: Link) -> None:
        """After its identity is on record: what is sent there from now on must be found again."""
        if link.remote is None or not isinstance(link.outcome, Findings):
            return
        cluster_id = link.outcome.cluster_id
        if not cluster_id and not link.is_anonymity_told:
            link.is_anonymity_told = True
            note = "namespace kube-system cannot be read: it is not noticed if the kubeconfig leads elsewhere one day"
            self._record(cluster, "Warning", "IdentityUnknown", note)
        link.is_admitted = True
        self._remotes.admit(link.uid, Remote(link.config_hash, cluster_id, link.remote))

    def _record(self, cluster: Cluster, event_type: EventType, reason: str, note: str) -> None:
        self._recorder.record(cluster, event_type, reason, note, action=ACTION)


def _is_forced(cluster: Cluster) -> bool:
    return cluster.metadata.annotations.get(FORCE_DELETE) == "true"


def _deletion(cluster: Cluster, bound: Sequence[Instance]) -> Observation:
    if not cluster.metadata.is_being_deleted:
        return Observation(_DELETION_BLOCKED, "False", "NotBlocked")
    names = sorted(str(each.key) for each in bound)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    note = f"Instances are bound to it: {', '.join(names[:_MOST_NAMED])}{more}"
    return Observation(_DELETION_BLOCKED, "True", "InstancesPresent", note)


def _found(ready: Observation, outcome: Findings | Failure | None) -> dict[str, str]:
    if not isinstance(outcome, Findings):
        return {}
    version = {"serverVersion": outcome.server_version}
    # The first one is recorded, and so is one that was accepted; one that is not must not become the record.
    is_accepted = ready.reason == CLUSTER_READY and outcome.cluster_id
    return {**version, "clusterID": outcome.cluster_id} if is_accepted else version
