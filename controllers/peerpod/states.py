"""A PeerPod that is wanted is left alone but for what is recorded; of one that goes, the VM goes first."""

from contextlib import suppress

import structlog

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import Request
from controllers.peerpod.arrivals import Arrivals
from controllers.peerpod.cleanup import Cleanup
from controllers.peerpod.location import Locator
from controllers.peerpod.owner import owner_pod
from controllers.peerpod.pace import Paces
from controllers.peerpod.siblings import superseded
from controllers.peerpods.listing import Indexed
from controllers.peerpods.names import PEER_POD_FINALIZER
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import RelatingRecorder
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.errors import NotFound
from framework.reconcile import Result

# Of PeerPods: the namespace and the uid of the pod that controls it.
OWNER_INDEX = "peerpod/owner"
SUPERSEDED = "Superseded"
ACTION = "DeleteVM"

_log = structlog.get_logger("windlass.peerpod")


class PeerPodStates:
    def __init__(
        self,
        *,
        peer_pods: Indexed[PeerPod],
        client: Client,
        status: StatusWriter[PeerPod],
        recorder: RelatingRecorder,
        locator: Locator,
        arrivals: Arrivals,
        paces: Paces,
        cleanup: Cleanup,
    ) -> None:
        self._peer_pods = peer_pods
        self._client = client
        self._status = status
        self._recorder = recorder
        self._locator = locator
        self._arrivals = arrivals
        self._paces = paces
        self._cleanup = cleanup

    def reconcile(self, request: Request) -> Result:
        peer_pod = self._peer_pods.get(request.key)
        if peer_pod is None:
            self._paces.forget(request.key)
            return Result.await_change()
        if not peer_pod.metadata.is_being_deleted:
            peer_pod = self._record_location(peer_pod)
            self._delete_superseded(peer_pod)
            return Result.await_change()
        if PEER_POD_FINALIZER not in peer_pod.metadata.finalizers:
            # The adaptor has deleted the VM itself.
            self._paces.forget(request.key)
            return Result.await_change()
        return self._cleanup.step(peer_pod)

    def _record_location(self, peer_pod: PeerPod) -> PeerPod:
        """Once: what is in the settings later may be about other VMs."""
        if peer_pod.status.settings_ref is not None:
            return peer_pod
        found = self._locator.find(peer_pod)
        if found is None:
            return peer_pod
        candidate, location = found
        return self._status.write(peer_pod, settingsRef=candidate.ref, location=location)

    def _delete_superseded(self, peer_pod: PeerPod) -> None:
        owner = owner_pod(peer_pod)
        if owner is None:
            _log.debug("peer_pod_without_pod", object=str(peer_pod.key))
            return
        siblings = self._peer_pods.by_index(OWNER_INDEX, owner_key(peer_pod.metadata.namespace, owner.uid))
        living = [each for each in siblings if not each.metadata.is_being_deleted]
        losers = sorted(superseded(living, self._arrivals.number_of), key=lambda each: each.key)
        if any(each.metadata.uid == peer_pod.metadata.uid for each in losers):
            # The newest one sees to it.
            return
        for loser in losers:
            self._supersede(loser, peer_pod)

    def _supersede(self, loser: PeerPod, newest: PeerPod) -> None:
        note = f"{newest.metadata.name} is newer and of the same pod"
        with suppress(NotFound):
            written = self._status.write(loser, Observation(SUPERSEDED, "True", SUPERSEDED, note))
            metadata = written.metadata
            self._client.delete(PeerPod, loser.key, uid=metadata.uid, resource_version=metadata.resource_version)
            self._recorder.record(loser, "Normal", SUPERSEDED, note, action=ACTION, related=newest)
            note = f"{loser.metadata.name} is older and of the same pod: it is deleted, with its VM"
            self._recorder.record(newest, "Normal", SUPERSEDED, note, action=ACTION, related=loser)


def owner_key(namespace: str, uid: str) -> str:
    return f"{namespace}/{uid}"
