"""What a Deployment tells about itself."""

from datetime import datetime
from typing import Any

from framework.apiserver.controllers.conditions import find_condition
from framework.apiserver.controllers.workloads.revisions import Revisions
from framework.apiserver.controllers.workloads.rolling import available_of, limits_of, size_of
from framework.apiserver.objects import Object
from framework.apiserver.rest.context import timestamp

AVAILABLE, PROGRESSING, FAILURE = "Available", "Progressing", "ReplicaFailure"
_COMPLETE, _TIMED_OUT = "NewReplicaSetAvailable", "ProgressDeadlineExceeded"
_PAUSED = "DeploymentPaused"
# How large the real server takes "no deadline" to be.
_NO_DEADLINE = 2**31 - 1


class DeploymentStatus:
    """The status of *deployment* with the ReplicaSets it has now, at the time *now*."""

    def __init__(self, deployment: Object, revisions: Revisions, now: datetime) -> None:
        self._deployment = deployment
        self._new = revisions.new
        self._now = now
        self._old = deployment["status"]
        self._replicas = deployment["spec"].get("replicas", 1)
        self._conditions = [dict(one) for one in self._old.get("conditions") or ()]
        self.counts = self._count(revisions)
        self._tell_availability()
        self._tell_failures(revisions)

    def document(self) -> dict[str, Any]:
        return {**self.counts, "conditions": self._conditions}

    @property
    def is_complete(self) -> bool:
        names = ("replicas", "updatedReplicas", "availableReplicas")
        return all(self.counts[name] == self._replicas for name in names)

    def tell_pause(self) -> None:
        """A rollout that is paused cannot run out of time."""
        condition = find_condition(self._conditions, PROGRESSING)
        reason = "" if condition is None else condition.get("reason")
        is_paused = bool(self._deployment["spec"].get("paused"))
        if self._deadline is None or reason == _TIMED_OUT:
            return
        if is_paused and reason != _PAUSED:
            self._set(PROGRESSING, "Unknown", _PAUSED, "Deployment is paused")
        elif not is_paused and reason == _PAUSED:
            self._set(PROGRESSING, "Unknown", "DeploymentResumed", "Deployment is resumed")

    def tell_creation(self, name: str) -> None:
        if self._deadline is not None:
            self._set(PROGRESSING, "True", "NewReplicaSetCreated", f'Created new replica set "{name}"')

    def tell_failed_creation(self, message: str) -> None:
        if self._deadline is not None:
            self._set(PROGRESSING, "False", "ReplicaSetCreateError", message)

    def tell_progress(self) -> None:
        if self._deadline is None:
            self._conditions = [one for one in self._conditions if one["type"] != PROGRESSING]
            return
        condition = find_condition(self._conditions, PROGRESSING)
        is_settled = self.counts["replicas"] == self.counts["updatedReplicas"]
        if is_settled and condition is not None and condition["reason"] == _COMPLETE:
            return
        if self.is_complete:
            self._set(PROGRESSING, "True", _COMPLETE, f"{self._subject} has successfully progressed.")
        elif self._has_progressed():
            self._set(PROGRESSING, "True", "ReplicaSetUpdated", f"{self._subject} is progressing.", renews=True)
        elif self._is_overdue(condition):
            self._set(PROGRESSING, "False", _TIMED_OUT, f"{self._subject} has timed out progressing.")

    def seconds_to_deadline(self) -> float | None:
        """When a rollout without progress will have taken too long, if one is under way."""
        condition = find_condition(self._conditions, PROGRESSING)
        if self._deadline is None or condition is None or self.is_complete:
            return None
        if condition["reason"] in {_TIMED_OUT, _COMPLETE} or self._deployment["spec"].get("paused"):
            return None
        # A second more, because times in a status have no fractions.
        return max(0.0, self._deadline - self._seconds_since(condition)) + 1.0

    @property
    def _deadline(self) -> int | None:
        seconds = self._deployment["spec"].get("progressDeadlineSeconds")
        return None if seconds is None or seconds == _NO_DEADLINE else int(seconds)

    @property
    def _subject(self) -> str:
        if self._new is None:
            return f'Deployment "{self._deployment["metadata"]["name"]}"'
        return f'ReplicaSet "{self._new["metadata"]["name"]}"'

    def _count(self, revisions: Revisions) -> dict[str, Any]:
        everyone = revisions.all
        available = sum(available_of(one) for one in everyone)
        wanted = sum(size_of(one) for one in everyone)
        return {
            "observedGeneration": self._deployment["metadata"]["generation"],
            "replicas": _total(everyone, "replicas"),
            "updatedReplicas": _total([revisions.new] if revisions.new else [], "replicas"),
            "readyReplicas": _total(everyone, "readyReplicas"),
            "availableReplicas": available,
            "unavailableReplicas": max(0, wanted - available),
            "terminatingReplicas": _total(everyone, "terminatingReplicas"),
            "collisionCount": self._old.get("collisionCount"),
        }

    def _tell_availability(self) -> None:
        if self.counts["availableReplicas"] >= limits_of(self._deployment).least_available:
            self._set(AVAILABLE, "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        else:
            reason, message = "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
            self._set(AVAILABLE, "False", reason, message)

    def _tell_failures(self, revisions: Revisions) -> None:
        ordered = [one for one in (revisions.new, *revisions.old) if one is not None]
        failures = (find_condition(one["status"].get("conditions"), FAILURE) for one in ordered)
        failure = next((one for one in failures if one is not None), None)
        if failure is None:
            self._conditions = [one for one in self._conditions if one["type"] != FAILURE]
        else:
            self._set(FAILURE, failure["status"], failure["reason"], failure["message"])

    def _has_progressed(self) -> bool:
        new, old = self.counts, self._old
        left, left_before = new["replicas"] - new["updatedReplicas"], _left(old)
        grown = ("updatedReplicas", "readyReplicas", "availableReplicas")
        return left < left_before or any(new[name] > old.get(name, 0) for name in grown)

    def _is_overdue(self, condition: Object | None) -> bool:
        if condition is None or condition["reason"] == _COMPLETE or self._deadline is None:
            return False
        return condition["reason"] == _TIMED_OUT or self._seconds_since(condition) > self._deadline

    def _seconds_since(self, condition: Object) -> float:
        return (self._now - datetime.fromisoformat(condition["lastUpdateTime"])).total_seconds()

    def _set(self, name: str, status: str, reason: str, message: str, *, renews: bool = False) -> None:
        """The same status for the same reason stays as it is, unless it *renews* the time of the last news."""
        known = find_condition(self._conditions, name)
        if known is not None and known["status"] == status and known["reason"] == reason and not renews:
            return
        now = timestamp(self._now)
        moved = known is None or known["status"] != status
        condition = {
            "type": name,
            "status": status,
            "lastUpdateTime": now,
            "lastTransitionTime": now if known is None or moved else known["lastTransitionTime"],
            "reason": reason,
            "message": message,
        }
        self._conditions = [*(one for one in self._conditions if one["type"] != name), condition]


def _total(replica_sets: list[Object], field: str) -> int:
    return sum(one["status"].get(field, 0) for one in replica_sets)


def _left(status: Any) -> int:
    return int(status.get("replicas", 0)) - int(status.get("updatedReplicas", 0))
