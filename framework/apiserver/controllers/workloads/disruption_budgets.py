"""The status of PodDisruptionBudgets: how many of their pods may go right now."""

from datetime import datetime
from typing import Any

from framework.apiserver.controllers.conditions import set_condition
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import DISRUPTION_BUDGETS, PODS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.workloads.owner_loop import OwnerLoop
from framework.apiserver.controllers.workloads.pods import has_ended, is_ready, is_terminating
from framework.apiserver.controllers.workloads.rolling import resolve
from framework.apiserver.controllers.workloads.status import write_status
from framework.apiserver.objects import Object
from framework.apiserver.selectors import label_selector_from_object

# After so long an eviction that has not come to its end is taken to have been given up.
_EVICTION_SECONDS = 120.0


class DisruptionBudgetController:
    """Expects as many pods as there are; the real one asks their owners."""

    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._pods = Follower(tools.storage, PODS.storage)
        self._loop = OwnerLoop(tools, DISRUPTION_BUDGETS, [], self._sync)

    def step(self) -> float | None:
        if (news := self._pods.look()) is not None:
            changed = (*news.records, *(change.record for change in news.changes))
            for namespace in {record.key.namespace for record in changed}:
                self._loop.add_all(namespace)
        return self._loop.step()

    def _sync(self, budget: Object) -> float | None:
        selector = label_selector_from_object(budget["spec"].get("selector"))
        pods = [
            pod
            for pod in self._tools.storage.list(PODS.storage, budget["metadata"]["namespace"])
            if selector.matches(pod["metadata"].get("labels") or {}) and not has_ended(pod)
        ]
        disrupted = self._disrupted(budget["status"].get("disruptedPods") or {}, pods)
        healthy = [
            pod
            for pod in pods
            if is_ready(pod) and not is_terminating(pod) and pod["metadata"]["name"] not in disrupted
        ]
        self._write_status(budget, len(pods), len(healthy), disrupted)
        return _EVICTION_SECONDS if disrupted else None

    def _disrupted(self, noted: dict[str, str], pods: list[Object]) -> dict[str, str]:
        """Pods that are being evicted, and are neither gone nor given up."""
        now = self._tools.clock.now()
        there = {pod["metadata"]["name"] for pod in pods if not is_terminating(pod)}
        return {
            name: since
            for name, since in noted.items()
            if name in there and (now - datetime.fromisoformat(since)).total_seconds() < _EVICTION_SECONDS
        }

    def _write_status(self, budget: Object, expected: int, healthy: int, disrupted: dict[str, str]) -> None:
        generation = budget["metadata"]["generation"]
        desired = _desired(budget["spec"], expected)
        allowed = max(0, healthy - desired) if expected else 0
        conditions: list[Any] = [dict(one) for one in budget["status"].get("conditions") or ()]
        condition = {
            "type": "DisruptionAllowed",
            "status": "True" if allowed else "False",
            "reason": "SufficientPods" if allowed else "InsufficientPods",
            "message": "",
            "observedGeneration": generation,
        }
        set_condition(conditions, condition, self._tools.now())
        status = {
            "observedGeneration": generation,
            "disruptedPods": disrupted or None,
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "expectedPods": expected,
            "conditions": conditions,
        }
        write_status(self._tools, DISRUPTION_BUDGETS, budget, status)


def _desired(spec: Any, expected: int) -> int:
    if "maxUnavailable" in spec:
        return max(0, expected - resolve(spec["maxUnavailable"], expected, rounds_up=True))
    return resolve(spec.get("minAvailable", 1), expected, rounds_up=True)
