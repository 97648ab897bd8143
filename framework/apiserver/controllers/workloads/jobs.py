"""Jobs: pods until enough of them have succeeded. CronJobs have no controller here.

Failed pods are replaced at once, not later and later; podFailurePolicy, successPolicy and backoffLimitPerIndex are not
looked at.
"""

from datetime import datetime
from typing import Any

from framework.apiserver.controllers.conditions import find_condition, is_true, set_condition
from framework.apiserver.controllers.kinds import JOBS, PODS
from framework.apiserver.controllers.loopback import key_of
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import is_in_vain
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.controllers.workloads.claiming import claim
from framework.apiserver.controllers.workloads.job_indexes import spell_indexes
from framework.apiserver.controllers.workloads.job_pods import TRACKING, JobPods, is_tracked
from framework.apiserver.controllers.workloads.owner_loop import OwnerLoop
from framework.apiserver.controllers.workloads.pods import is_terminating
from framework.apiserver.controllers.workloads.status import write_status
from framework.apiserver.objects import Object
from framework.errors import ApiError

# What is still missing is made at the next look, so that a large Job does not keep the others waiting.
_BURST = 500
_MANAGER = "kubernetes.io/job-controller"
_WELL = ("CompletionsReached", "Reached expected number of succeeded pods")
_TOO_OFTEN = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
_TOO_LONG = ("DeadlineExceeded", "Job was active longer than specified deadline")


class JobController:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._pods = Children(tools.storage, PODS, JOBS)
        self._loop = OwnerLoop(tools, JOBS, [self._pods], self._sync)

    def step(self) -> float | None:
        return self._loop.step()

    def _sync(self, job: Object) -> float | None:
        if job["spec"].get("managedBy", _MANAGER) != _MANAGER or is_terminating(job):
            return None
        if _end_of(job) is not None:
            return self._expire(job)
        pods = JobPods(job, claim(self._tools, job, PODS, self._pods))
        status = self._next_status(job, pods)
        self._manage(job, pods, status["conditions"])
        write_status(self._tools, JOBS, job, status)
        # Only after they are in the status: a crash in between counts nothing twice.
        self._release(pods)
        return self._seconds_to_deadline(job, status)

    def _expire(self, job: Object) -> float | None:
        """Delete a finished Job when its time is over."""
        for pod in self._pods.of(job):
            if is_tracked(pod):
                self._remove_finalizer(pod)
        seconds, ended = job["spec"].get("ttlSecondsAfterFinished"), _end_of(job)
        if seconds is None or ended is None:
            return None
        left = float(seconds - (self._tools.clock.now() - ended).total_seconds())
        if left > 0:
            return left
        self._tools.loopback.delete(JOBS, job, propagation="Foreground", only_unchanged=True)
        return None

    def _next_status(self, job: Object, pods: JobPods) -> dict[str, Any]:
        spec, old, now = job["spec"], job["status"], self._tools.now()
        status: dict[str, Any] = {
            **old,
            "active": len(pods.active),
            "ready": pods.ready,
            "terminating": pods.terminating,
        }
        if not spec.get("suspend"):
            status.setdefault("startTime", now)
        conditions = [dict(one) for one in old.get("conditions") or ()]
        status["conditions"] = conditions
        held = {pod["metadata"]["uid"] for pod in pods.pods if is_tracked(pod)}
        uncounted = {}
        for outcome in ("succeeded", "failed"):
            uids = pods.uncounted(outcome)
            uncounted[outcome] = [uid for uid in uids if uid in held]
            status[outcome] = old.get(outcome, 0) + len(uids) - len(uncounted[outcome])
        if pods.is_indexed:
            status["completedIndexes"] = spell_indexes(pods.completed_indexes()) or None
            status["succeeded"] = pods.succeeded
        status["uncountedTerminatedPods"] = {name: uids for name, uids in uncounted.items() if uids}
        self._judge(job, pods, status)
        if not any(uncounted.values()) and not pods.active and not pods.terminating:
            _finish(status, now)
        return status

    def _judge(self, job: Object, pods: JobPods, status: dict[str, Any]) -> None:
        """Decide whether the Job is over, which it will say once nothing of it is left."""
        conditions, now = status["conditions"], self._tools.now()
        if _is_decided(conditions):
            return
        name, told = "FailureTarget", None
        if pods.failed > job["spec"].get("backoffLimit", 6):
            told = _TOO_OFTEN
        elif self._is_overdue(job, status):
            told = _TOO_LONG
        elif _has_reached_its_goal(job["spec"], pods):
            name, told = "SuccessCriteriaMet", _WELL
        if told is not None:
            _set(conditions, name, "True", told, now)
        elif job["spec"].get("suspend"):
            status.pop("startTime", None)
            _set(conditions, "Suspended", "True", ("JobSuspended", "Job suspended"), now)
        elif find_condition(conditions, "Suspended") is not None:
            if is_true(conditions, "Suspended"):
                status["startTime"] = now
            _set(conditions, "Suspended", "False", ("JobResumed", "Job resumed"), now)

    def _manage(self, job: Object, pods: JobPods, conditions: list[Any]) -> None:
        wanted = 0 if _is_decided(conditions) or job["spec"].get("suspend") else _wanted(job["spec"], pods)
        surplus = len(pods.active) - wanted
        try:
            for pod in pods.new_pods(min(_BURST, -surplus)):
                self._tools.loopback.create(PODS, job["metadata"]["namespace"], pod)
        except ApiError as error:
            # The pods that are there must be counted all the same, or they would never go.
            if not is_in_vain(error):
                raise
        newest_first = sorted(pods.active, key=lambda pod: pod["metadata"]["creationTimestamp"], reverse=True)
        for pod in newest_first[: max(0, surplus)]:
            self._tools.loopback.delete(PODS, pod)

    def _release(self, pods: JobPods) -> None:
        for pod in pods.to_count:
            self._remove_finalizer(pod)

    def _remove_finalizer(self, pod: Object) -> None:
        metadata = pod["metadata"]
        kept = [one for one in metadata["finalizers"] if one != TRACKING]
        patch = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"], "finalizers": kept or None}
        self._tools.loopback.merge_patch(PODS, key_of(pod), {"metadata": patch})

    def _is_overdue(self, job: Object, status: Any) -> bool:
        left = self._seconds_to_deadline(job, status)
        return left is not None and left <= 0

    def _seconds_to_deadline(self, job: Object, status: Any) -> float | None:
        seconds, start = job["spec"].get("activeDeadlineSeconds"), status.get("startTime")
        if seconds is None or start is None or job["spec"].get("suspend") or _is_decided(status["conditions"]):
            return None
        return float(seconds - (self._tools.clock.now() - datetime.fromisoformat(start)).total_seconds())


def _wanted(spec: Any, pods: JobPods) -> int:
    parallelism, completions = int(spec.get("parallelism", 1)), spec.get("completions")
    if completions is None:
        # A work queue: once one has succeeded there is nothing left to begin.
        return len(pods.active) if pods.succeeded else parallelism
    return max(0, min(parallelism, int(completions) - pods.succeeded))


def _has_reached_its_goal(spec: Any, pods: JobPods) -> bool:
    completions = spec.get("completions")
    if completions is None:
        return pods.succeeded > 0 and not pods.active
    return bool(pods.succeeded >= completions)


def _finish(status: dict[str, Any], now: str) -> None:
    conditions = status["conditions"]
    for begun, end in (("SuccessCriteriaMet", "Complete"), ("FailureTarget", "Failed")):
        condition = find_condition(conditions, begun)
        if condition is not None and condition["status"] == "True":
            _set(conditions, end, "True", (condition["reason"], condition["message"]), now)
            if end == "Complete":
                status["completionTime"] = now


def _is_decided(conditions: list[Any]) -> bool:
    return is_true(conditions, "SuccessCriteriaMet") or is_true(conditions, "FailureTarget")


def _end_of(job: Object) -> datetime | None:
    for name in ("Complete", "Failed"):
        condition = find_condition(job["status"].get("conditions"), name)
        if condition is not None and condition["status"] == "True":
            return datetime.fromisoformat(condition["lastTransitionTime"])
    return None


def _set(conditions: list[Any], name: str, status: str, told: tuple[str, str], now: str) -> None:
    known = find_condition(conditions, name)
    if known is not None and known["status"] == status:
        return
    reason, message = told
    condition = {"type": name, "status": status, "reason": reason, "message": message, "lastProbeTime": now}
    set_condition(conditions, condition, now)
