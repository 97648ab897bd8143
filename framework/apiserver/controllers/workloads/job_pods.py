"""The pods of a Job, and what has become of each."""

from typing import Any

from framework.apiserver.controllers.workloads.job_indexes import parse_indexes
from framework.apiserver.controllers.workloads.pods import is_active, is_ready, is_terminating, pod_from
from framework.apiserver.objects import Object

# Holds a pod until it has been counted, so that none is counted twice or never.
TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


class JobPods:
    """The *pods* of *job*, counted together with what its status remembers of those that are gone."""

    def __init__(self, job: Object, pods: list[Object]) -> None:
        self._job = job
        self._status = job["status"]
        self.pods = pods
        self.active = [pod for pod in pods if is_active(pod)]
        self.ready = sum(is_ready(pod) for pod in self.active)
        self.terminating = sum(is_terminating(pod) and not _is_over(pod) for pod in pods)
        self.is_indexed = job["spec"].get("completionMode") == "Indexed"
        # Pods that have ended and are still held, because nobody has counted them yet.
        self.to_count = [pod for pod in pods if is_tracked(pod) and (_has_succeeded(pod) or self._has_failed(pod))]

    @property
    def succeeded(self) -> int:
        if self.is_indexed:
            return len(self.completed_indexes())
        return int(self._status.get("succeeded", 0)) + len(self.uncounted("succeeded"))

    @property
    def failed(self) -> int:
        return int(self._status.get("failed", 0)) + len(self.uncounted("failed"))

    def uncounted(self, outcome: str) -> list[str]:
        """The uids of pods that ended so, and are not in the counters yet."""
        known = (self._status.get("uncountedTerminatedPods") or {}).get(outcome) or []
        new = [pod["metadata"]["uid"] for pod in self.to_count if self._outcome(pod) == outcome]
        return [*known, *(uid for uid in new if uid not in known)]

    def completed_indexes(self) -> set[int]:
        done = {index_of(pod) for pod in self.to_count if _has_succeeded(pod)}
        most = self._job["spec"].get("completions", 0)
        return parse_indexes(self._status.get("completedIndexes", "")) | {one for one in done if 0 <= one < most}

    def missing_indexes(self) -> list[int]:
        taken = self.completed_indexes() | {index_of(pod) for pod in self.active}
        return [index for index in range(self._job["spec"].get("completions", 0)) if index not in taken]

    def new_pods(self, count: int) -> list[Object]:
        """So many more, or as many as there are indexes without one; none for a negative number."""
        count = max(0, count)
        template = self._job["spec"]["template"]
        if not self.is_indexed:
            return [pod_from(template, self._job, finalizers=[TRACKING]) for _ in range(count)]
        return [_indexed_pod(self._job, index) for index in self.missing_indexes()[:count]]

    def _has_failed(self, pod: Object) -> bool:
        if pod["status"].get("phase") == "Failed":
            return True
        # By default a pod that is on its way out is replaced at once.
        replaces_early = self._job["spec"].get("podReplacementPolicy") != "Failed"
        return replaces_early and is_terminating(pod) and not _has_succeeded(pod)

    def _outcome(self, pod: Object) -> str:
        if not _has_succeeded(pod):
            return "failed"
        # Indexes are remembered by themselves.
        return "" if self.is_indexed else "succeeded"


def is_tracked(pod: Object) -> bool:
    return TRACKING in (pod["metadata"].get("finalizers") or ())


def index_of(pod: Object) -> int:
    text = (pod["metadata"].get("annotations") or {}).get(INDEX, "")
    return int(text) if text.isdecimal() else -1


def _has_succeeded(pod: Object) -> bool:
    return bool(pod["status"].get("phase") == "Succeeded")


def _is_over(pod: Object) -> bool:
    return pod["status"].get("phase") in {"Succeeded", "Failed"}


def _indexed_pod(job: Object, index: int) -> Object:
    name, number = job["metadata"]["name"], str(index)
    pod = pod_from(
        job["spec"]["template"],
        job,
        generateName=f"{name}-{number}-",
        finalizers=[TRACKING],
        labels={INDEX: number},
        annotations={INDEX: number},
    )
    spec: dict[str, Any] = pod["spec"]
    spec.setdefault("hostname", f"{name}-{number}")
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}}
    variable = {"name": "JOB_COMPLETION_INDEX", "valueFrom": field}
    for field_name in ("containers", "initContainers"):
        if spec.get(field_name):
            spec[field_name] = [{**one, "env": [*(one.get("env") or ()), variable]} for one in spec[field_name]]
    return pod
