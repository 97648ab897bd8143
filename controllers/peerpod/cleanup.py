"""From a PeerPod that is being deleted to a VM that is gone; the finalizer goes last."""

from contextlib import suppress

import structlog

from apis.confidentialcontainers.peerpod import PeerPod
from controllers.peerpod.backoff import IN_PROGRESS, reason_of, seconds_after
from controllers.peerpod.candidates import Candidates
from controllers.peerpod.deletion import Deletion
from controllers.peerpod.grace import Grace
from controllers.peerpod.limiter import NotYet
from controllers.peerpod.metrics import VM_DELETED, DeletionMetrics
from controllers.peerpod.pace import Failure, Pace, Paces
from controllers.peerpod.provider import Busy, Gone, InProgress, Note, Outcome, Permanent, ProviderError
from controllers.peerpod.release import release
from controllers.peerpods.listing import Indexed
from controllers.peerpods.names import SKIP_VM_DELETION
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import RelatingRecorder
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.clock import Clock
from framework.errors import ApiError
from framework.events import EventType
from framework.randomness import Random
from framework.reconcile import Result

# Of PeerPods: the id of the VM, whatever cloud it is of.
INSTANCE_INDEX = "peerpod/instance"
ACTION = "DeleteVM"
LONGEST_ERROR = 1024
_TOLD_SECONDS, _TOLD_SELDOM_SECONDS = 300.0, 1800.0

_log = structlog.get_logger("windlass.peerpod")


class Cleanup:
    def __init__(
        self,
        *,
        peer_pods: Indexed[PeerPod],
        client: Client,
        status: StatusWriter[PeerPod],
        recorder: RelatingRecorder,
        candidates: Candidates,
        paces: Paces,
        grace: Grace,
        deletion: Deletion,
        metrics: DeletionMetrics,
        clock: Clock,
        random: Random,
    ) -> None:
        self._peer_pods = peer_pods
        self._client = client
        self._status = status
        self._recorder = recorder
        self._candidates = candidates
        self._paces = paces
        self._grace = grace
        self._deletion = deletion
        self._metrics = metrics
        self._clock = clock
        self._random = random

    def step(self, peer_pod: PeerPod) -> Result:
        """Once more what can be done now; it may die anywhere, and is then done again without harm."""
        if peer_pod.status.cleand:
            return self._release(peer_pod)
        no_deletion = self._why_not(peer_pod)
        if no_deletion is not None:
            self._record(peer_pod, "Warning" if no_deletion.is_warning else "Normal", no_deletion)
            return self._release(peer_pod)
        now = self._clock.monotonic()
        pace = self._paces.of(peer_pod, self._candidates.versions(peer_pod), now)
        self._write_down(peer_pod, pace)
        seconds = pace.due - now
        if seconds <= 0:
            seconds = self._grace.seconds_to_wait(peer_pod, now - pace.since)
        return Result.after(seconds) if seconds > 0 else self._delete(peer_pod, pace)

    def _why_not(self, peer_pod: PeerPod) -> Note | None:
        """Why it is let go without a deletion; None: it is not."""
        if peer_pod.metadata.annotations.get(SKIP_VM_DELETION) == "true":
            return Note("VMDeletionSkipped", f"annotation {SKIP_VM_DELETION} says that the VM is left alone")
        spec = peer_pod.spec
        if spec is None or not spec.instance_id:
            return Note("NoInstanceID", "spec.instanceID is empty, so there is no VM to delete")
        for other in self._peer_pods.by_index(INSTANCE_INDEX, spec.instance_id):
            provider = other.spec.cloud_provider if other.spec else ""
            is_same_cloud = provider == spec.cloud_provider or not provider or not spec.cloud_provider
            if is_same_cloud and not other.metadata.is_being_deleted:
                return Note("InstanceShared", f"{other.key} has the same VM, which therefore stays", is_warning=False)
        return None

    def _delete(self, peer_pod: PeerPod, pace: Pace) -> Result:
        began = self._clock.monotonic()
        provider = peer_pod.spec.cloud_provider if peer_pod.spec else ""
        try:
            outcome = self._deletion.attempt(peer_pod, began - pace.since)
        except NotYet as wait:
            pace.due = began + wait.seconds
            return Result.after(wait.seconds)
        except ProviderError as error:
            self._metrics.ended(provider, reason_of(error), self._clock.monotonic() - began)
            return self._failed(peer_pod, pace, error)
        self._metrics.ended(provider, type(outcome).__name__, self._clock.monotonic() - began)
        for note in outcome.notes:
            self._record(peer_pod, "Warning" if note.is_warning else "Normal", note)
        if isinstance(outcome, InProgress):
            busy = Busy("the cloud is at it", outcome.after_seconds)
            return self._failed(peer_pod, pace, busy)
        return self._succeeded(peer_pod, outcome)

    def _succeeded(self, peer_pod: PeerPod, outcome: Outcome) -> Result:
        instance = peer_pod.spec.instance_id if peer_pod.spec else ""
        if isinstance(outcome, Gone):
            note = Note("VMAlreadyGone", f"there is no VM {instance} any more", is_warning=False)
        else:
            note = Note("VMDeleted", f"the cloud deletes VM {instance}", is_warning=False)
        self._record(peer_pod, "Normal", note)
        # Only so that people see it: what counts is that the VM goes.
        with suppress(ApiError):
            peer_pod = self._status.write(
                peer_pod,
                Observation(VM_DELETED, "True", note.reason, note.message),
                cleand=True,
                lastError="",
                observedGeneration=peer_pod.metadata.generation,
            )
        return self._release(peer_pod)

    def _failed(self, peer_pod: PeerPod, pace: Pace, error: ProviderError) -> Result:
        seconds = seconds_after(error, pace.failures, self._random)
        now, reason = self._clock.monotonic(), reason_of(error)
        is_failure = not isinstance(error, Busy)
        pace.due = now + seconds
        pace.failures += is_failure
        pace.unwritten = Failure(reason, str(error)[:LONGEST_ERROR], self._clock.now(), counts=is_failure)
        self._tell(peer_pod, pace, error)
        self._write_down(peer_pod, pace)
        return Result.after(seconds)

    def _write_down(self, peer_pod: PeerPod, pace: Pace) -> None:
        failure = pace.unwritten
        if failure is None:
            return
        fields: dict[str, object] = {"observedGeneration": peer_pod.metadata.generation}
        if failure.counts:
            fields |= {
                "attempts": peer_pod.status.attempts + 1,
                "lastError": failure.message,
                "lastAttemptTime": failure.at.replace(microsecond=0),
            }
        self._status.write(peer_pod, Observation(VM_DELETED, "False", failure.reason, failure.message), **fields)
        pace.unwritten = None

    def _tell(self, peer_pod: PeerPod, pace: Pace, error: ProviderError) -> None:
        reason = reason_of(error)
        _log.info("vm_not_deleted", object=str(peer_pod.key), reason=reason, error=str(error))
        if reason == IN_PROGRESS and not self._is_slow(peer_pod):
            return
        is_rare = isinstance(error, Permanent) or reason == IN_PROGRESS
        seconds = _TOLD_SELDOM_SECONDS if is_rare else _TOLD_SECONDS
        if not pace.is_told(reason, self._clock.monotonic(), seconds):
            event = reason if reason == "NotAPodVM" else "VMDeletionFailed"
            self._record(peer_pod, "Warning", Note(event, f"{reason}: {error}"))

    def _is_slow(self, peer_pod: PeerPod) -> bool:
        since = peer_pod.metadata.deletion_timestamp
        return since is not None and (self._clock.now() - since).total_seconds() >= _TOLD_SELDOM_SECONDS

    def _release(self, peer_pod: PeerPod) -> Result:
        release(self._client, peer_pod)
        return Result.await_change()

    def _record(self, peer_pod: PeerPod, event_type: EventType, note: Note) -> None:
        self._recorder.record(peer_pod, event_type, note.reason, note.message, action=ACTION)
