"""What disruption budgets say about an eviction."""

from typing import Any

from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.rest.context import Services
from framework.apiserver.selectors import label_selector_from_object
from framework.apiserver.status import forbidden
from framework.apiserver.storage import Record, Stale
from framework.errors import ApiError, Status, StatusCause, StatusDetails, api_error

_BUDGETS = GroupResource("policy", "poddisruptionbudgets")
_REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget."
_TWO = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_MOST_DISRUPTED = 2000


def spend_disruption(services: Services, pod: Object, *, is_dry_run: bool) -> bool:
    """Take one disruption from the budget of *pod*, if there is one; whether none had to be taken.

    Raises TooManyRequests if the budget has none left.
    """
    while True:
        found = _budgets_of(services, pod)
        if len(found) > 1:
            raise api_error(Status(500, "", _TWO))
        if not found:
            return False
        record, budget = found[0]
        if _is_unready(pod) and _lets_unready_go(budget):
            return True
        _check(budget)
        if is_dry_run:
            return False
        _count(budget, pod["metadata"]["name"], services.now())
        try:
            services.storage.write(_BUDGETS, record.key, record, budget)
        except Stale:
            continue
        return False


def _budgets_of(services: Services, pod: Object) -> list[tuple[Record, Object]]:
    labels = pod["metadata"].get("labels") or {}
    with services.storage.lock:
        records = list(services.storage.table(_BUDGETS).records(pod["metadata"]["namespace"]))
    found = [(record, record.decode()) for record in records]
    return [
        (record, budget)
        for record, budget in found
        if label_selector_from_object(budget["spec"].get("selector")).matches(labels)
    ]


def _is_unready(pod: Object) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return not any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def _lets_unready_go(budget: Object) -> bool:
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    healthy: int = status.get("currentHealthy", 0)
    desired: int = status.get("desiredHealthy", 0)
    return healthy >= desired > 0


def _check(budget: Object) -> None:
    status, name = budget.get("status") or {}, budget["metadata"]["name"]
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        raise _refused(f"The disruption budget {name} is still being processed by the server.", 10)
    allowed = status.get("disruptionsAllowed", 0)
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or {}) > _MOST_DISRUPTED:
        raise _forbidden(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller")
    if not allowed:
        raise _refused(_why(name, status))


def _forbidden(name: str, why: str) -> ApiError:
    return forbidden(GroupResource("policy", "poddisruptionbudget"), name, why)


def _why(name: str, status: Any) -> str:
    conditions = status.get("conditions") or ()
    condition: Object = next((one for one in conditions if one.get("type") == "DisruptionAllowed"), {})
    message = condition.get("message") if condition.get("status") == "False" else ""
    does_not = f"The disruption budget {name} does not allow evicting pods currently"
    if message and condition.get("reason") == "SyncFailed":
        return f"{does_not} because it failed sync: {message}"
    desired, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    if healthy <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
    return f"{does_not} ({condition['reason']}): {message}" if message else does_not


def _refused(cause: str, retry_after_seconds: int = 0) -> ApiError:
    causes = [StatusCause(reason="DisruptionBudget", message=cause)]
    details = StatusDetails(causes=causes, retry_after_seconds=retry_after_seconds)
    return api_error(
        Status(429, "TooManyRequests", _REFUSAL, details),
        retry_after_seconds=float(retry_after_seconds) if retry_after_seconds else None,
    )


def _count(budget: Object, pod_name: str, now: str) -> None:
    """The controller of budgets must not count the pod as available until it is gone."""
    status = budget["status"]
    status["disruptionsAllowed"] -= 1
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod_name: now}
    if status["disruptionsAllowed"]:
        return
    for condition in status.get("conditions") or ():
        if condition.get("type") == "DisruptionAllowed" and condition.get("status") == "True":
            condition.update(status="False", reason="InsufficientPods", lastTransitionTime=now, message="")
