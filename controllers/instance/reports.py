"""What is told of an Instance: conditions, counters, records and events."""

from typing import Any

from apis.apps.v1 import Deployment
from apis.laf.cluster import Cluster
from apis.laf.instance import Granted, Instance
from controllers.instance.deployer import Deployed
from controllers.instance.desired import Desired
from controllers.instance.inputs import Unresolved
from controllers.instance.needs import need_of
from controllers.instance.placement import Refusal
from controllers.instance.problem import NotDeployable
from controllers.instance.readiness import READY, ready_of
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.conditions import find_condition, is_true
from framework.events import EventRecorder

CREATING, CREATED = "DeploymentAndServiceCreating", "DeploymentAndServiceCreated"
STOPPING, STOPPED = "DeploymentAndServiceStopping", "DeploymentAndServiceStopped"
RESOLVED = Observation("InputsResolved", "True", "Resolved")
_REACHABLE = Observation("ClusterReachable", "True", "ClusterReady")
# What is known of where it is and what was sent there.
_NO_RECORDS: dict[str, Any] = {
    "clusterName": "",
    "clusterNamespace": "",
    "clusterUID": "",
    "reserved": None,
    "granted": None,
    "remoteUIDs": None,
    "remoteGeneration": 0,
    "appliedHash": "",
    "DeploymentName": "",
    "serviceName": "",
    "selector": "",
}
_NO_COUNTERS = dict.fromkeys(
    ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"), 0
)


def unresolved(why: Unresolved) -> Observation:
    return Observation("InputsResolved", "False", why.reason, why.message)


class Reports:
    def __init__(self, status: StatusWriter[Instance], recorder: EventRecorder) -> None:
        self._status = status
        self._recorder = recorder

    def without_leftovers(self, instance: Instance) -> Instance:
        """Another version of this system copied kubeconfigs there, where tenants can read them."""
        return self._status.write(instance, clusterConfig="") if instance.status.cluster_config else instance

    def refused(self, instance: Instance, why: Unresolved) -> None:
        not_ready = Observation(READY, "False", "InputsNotResolved", why.message)
        self._write(instance, unresolved(why), not_ready, status="Pending")

    def waiting(self, instance: Instance, refusal: Refusal) -> None:
        """There is no place for it."""
        before = find_condition(instance.status.conditions, "clusterSelected")
        refused = Observation("clusterSelected", "False", refusal.reason, refusal.message)
        not_placed = Observation(READY, "False", "NotPlaced", refusal.message)
        written = self._write(instance, RESOLVED, refused, not_placed, status="Pending")
        if before is None or (before.reason, before.message) != (refusal.reason, refusal.message):
            self._tell(written, "Warning", "FailedScheduling", refusal.message)

    def placed(self, instance: Instance) -> None:
        status = instance.status
        self._tell(instance, "Normal", "ClusterSelected", f"Cluster {status.cluster_namespace}/{status.cluster_name}")

    def lost(self, instance: Instance) -> Instance:
        """Its Cluster is not there any more, nor one of the same uid."""
        text = f"Cluster {instance.status.cluster_name} is gone; what this Instance had there is not known any more"
        seen = Observation("clusterSelected", "False", "ClusterLost", text)
        return self._status.write(instance, seen, status="Pending", **_NO_RECORDS)

    def unplaced(self, instance: Instance) -> Instance:
        return self._status.write(instance, status="Pending", **_NO_RECORDS)

    def unreachable(self, instance: Instance, cluster: Cluster, inputs: Observation) -> None:
        reason = reason_of(cluster)
        text = f"Cluster {cluster.key}: {reason}"
        seen = Observation("ClusterReachable", "False", reason, text)
        unknown = Observation(READY, "Unknown", "ClusterUnreachable", text)
        # The counters stay what they were: nobody knows better.
        self._status.write(instance, inputs, seen, unknown, status="Unknown")

    def begun(self, instance: Instance, desired: Desired) -> Instance:
        """Before the first remote write: from now on something of this Instance may be there."""
        seen = [] if is_true(instance.status.conditions, CREATED) else [Observation(CREATING, "True", "Applying")]
        return self._status.write(
            instance,
            *seen,
            DeploymentName=desired.deployment_name,
            serviceName=desired.service_name,
            selector=desired.selector_text,
        )

    def deployed(
        self, instance: Instance, deployed: Deployed, desired: Desired, granted: Granted, *, is_all: bool
    ) -> None:
        """*granted* was sent there; *is_all* that is wanted, unless growth is held back."""
        seen = [
            RESOLVED,
            Observation(CREATED, "True", "Created"),
            Observation(CREATING, "False", "Created"),
            Observation(STOPPING, "False", "Running"),
            Observation(STOPPED, "False", "Running"),
        ]
        if is_all:
            seen.append(Observation("CapacityAvailable", "True", "Granted"))
        written = self.observed(
            instance,
            deployed.deployment,
            *seen,
            granted=granted,
            # Lowered only now: before the write it could use what it had.
            reserved=need_of(granted).to_reserved(),
            remoteUIDs=deployed.uids,
            remoteGeneration=deployed.deployment.metadata.generation,
            appliedHash=desired.hash,
            observedGeneration=instance.metadata.generation,
        )
        for reason, note in deployed.news:
            self._tell(written, "Normal", reason, note)

    def observed(self, instance: Instance, deployment: Deployment, *seen: Observation, **fields: Any) -> Instance:
        """How the Deployment does."""
        ready, status = ready_of(deployment), deployment.status
        return self._status.write(
            instance,
            *seen,
            _REACHABLE,
            ready,
            status="Running" if ready.status == "True" else "Starting",
            replicas=status.replicas,
            updatedReplicas=status.updated_replicas,
            readyReplicas=status.ready_replicas,
            availableReplicas=status.available_replicas,
            unavailableReplicas=status.unavailable_replicas,
            **fields,
        )

    def missing(self, instance: Instance, *seen: Observation) -> None:
        """Nothing of it is there to be looked at."""
        not_deployed = Observation(READY, "False", "NotDeployed", "there is no Deployment of this Instance")
        self._status.write(instance, *seen, _REACHABLE, not_deployed, status="Starting", **_NO_COUNTERS)

    def not_deployed(self, instance: Instance, problem: NotDeployable, deployment: Deployment | None) -> None:
        """The cluster did not take it; an older *deployment* may go on."""
        seen = RESOLVED, Observation(CREATED, "False", problem.reason, str(problem))
        if deployment is None:
            self.missing(instance, *seen)
        else:
            self.observed(instance, deployment, *seen)

    def stopping(self, instance: Instance, reason: str, message: str) -> Instance:
        """On the way: *reason* is Deleting, or ClusterUnreachable."""
        seen = Observation(STOPPING, "True", reason, message)
        return self._status.write(instance, seen, status="Stopping")

    def stopped(self, instance: Instance) -> Instance:
        """All is gone, in one write; what was reserved is free from now on."""
        seen = (
            Observation("clusterSelected", "False", "Stopped"),
            Observation(CREATED, "False", "Stopped"),
            Observation(CREATING, "False", "Stopped"),
            Observation(READY, "False", "Stopped"),
            Observation(STOPPING, "False", "Stopped"),
            Observation(STOPPED, "True", "Stopped"),
        )
        return self._write(instance, *seen, status="Stopped", **_NO_COUNTERS, **_NO_RECORDS)

    def orphaned(self, instance: Instance, why: str) -> None:
        status = instance.status
        where = f"Cluster {status.cluster_namespace}/{status.cluster_name}"
        self._tell(instance, "Warning", "RemoteObjectsOrphaned", f"{why}: what was on {where} is left there")

    def _write(self, instance: Instance, *seen: Observation, **fields: Any) -> Instance:
        return self._status.write(instance, *seen, observedGeneration=instance.metadata.generation, **fields)

    def _tell(self, instance: Instance, event_type: Any, reason: str, note: str) -> None:
        self._recorder.record(instance, event_type, reason, note, action="Reconcile")


def reason_of(cluster: Cluster) -> str:
    """Why it cannot be used, in the word of its condition."""
    ready = find_condition(cluster.status.conditions, READY)
    return ready.reason if ready is not None and ready.status != "True" else "Unreachable"
