"""Lets pods go whose Job is gone, so that nobody will ever count them."""

from apis.meta import Key
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import JOBS, PODS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.controllers.workloads.job_pods import TRACKING, is_tracked
from framework.apiserver.objects import Object

_WORD = TRACKING.encode()


class JobPodRelease:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._follower = Follower(tools.storage, PODS.storage)
        self._jobs = Follower(tools.storage, JOBS.storage)
        self._tracked: set[Key] = set()
        self._due: DueItems[Key] = DueItems(tools.clock)

    def step(self) -> float | None:
        if (news := self._follower.look()) is not None:
            if news.is_anew:
                self._tracked = {record.key for record in news.records if _WORD in record.raw}
            for change in news.changes:
                self._tracked.discard(change.record.key)
                if change.type != "DELETED" and _WORD in change.record.raw:
                    self._tracked.add(change.record.key)
                    self._due.add(change.record.key)
        jobs = self._jobs.look()
        if jobs is not None and (jobs.is_anew or any(change.type == "DELETED" for change in jobs.changes)):
            for key in self._tracked:
                self._due.add(key)
        return work_off(self._due, self._release)

    def _release(self, key: Key) -> None:
        pod = self._tools.storage.get(PODS.storage, key.namespace, key.name)
        if pod is None or not is_tracked(pod) or self._has_job(pod):
            return
        metadata = pod["metadata"]
        kept = [one for one in metadata["finalizers"] if one != TRACKING]
        patch = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"], "finalizers": kept or None}
        self._tools.loopback.merge_patch(PODS, key, {"metadata": patch})

    def _has_job(self, pod: Object) -> bool:
        for owner in pod["metadata"].get("ownerReferences") or ():
            if owner.get("controller") and owner["kind"] == JOBS.kind:
                job = self._tools.storage.get(JOBS.storage, pod["metadata"]["namespace"], owner["name"])
                # One that is being deleted counts nothing any more.
                return (
                    job is not None
                    and job["metadata"]["uid"] == owner["uid"]
                    and "deletionTimestamp" not in job["metadata"]
                )
        return False
