"""Pods as their owners see them: what they are made from, and how far they are."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from framework.apiserver.controllers.conditions import find_condition, is_true
from framework.apiserver.controllers.workloads.claiming import controller_reference
from framework.apiserver.objects import Object

_ENDED = frozenset({"Succeeded", "Failed"})


def pod_from(template: Any, owner: Object, **metadata: Any) -> Object:
    """A pod made from the *template* of *owner*, which controls it."""
    given = template.get("metadata") or {}
    made: dict[str, Any] = {"generateName": f"{owner['metadata']['name']}-", **metadata}
    for name in ("labels", "annotations"):
        if both := {**(given.get(name) or {}), **(metadata.get(name) or {})}:
            made[name] = both
    if finalizers := [*(given.get("finalizers") or ()), *(metadata.get("finalizers") or ())]:
        made["finalizers"] = finalizers
    made["ownerReferences"] = [controller_reference(owner)]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": made, "spec": dict(template["spec"])}


def is_terminating(obj: Object) -> bool:
    return "deletionTimestamp" in obj["metadata"]


def has_ended(pod: Object) -> bool:
    return pod["status"].get("phase") in _ENDED


def is_active(pod: Object) -> bool:
    return not has_ended(pod) and not is_terminating(pod)


def is_ready(pod: Object) -> bool:
    return is_true(pod["status"].get("conditions"), "Ready")


def seconds_to_available(pod: Object, min_ready_seconds: int, now: datetime) -> float | None:
    """0 if *pod* has been ready long enough, else how much is missing; None if it is not ready."""
    condition = find_condition(pod["status"].get("conditions"), "Ready")
    if condition is None or condition.get("status") != "True":
        return None
    if not min_ready_seconds or not condition.get("lastTransitionTime"):
        return 0.0
    ready_for = (now - datetime.fromisoformat(condition["lastTransitionTime"])).total_seconds()
    return max(0.0, min_ready_seconds - ready_for)


class Readiness:
    """How many of some pods are ready, how many available, and when the next one will be."""

    def __init__(self, pods: Iterable[Object], min_ready_seconds: int, now: datetime) -> None:
        waits = [seconds_to_available(pod, min_ready_seconds, now) for pod in pods]
        self.ready = sum(wait is not None for wait in waits)
        self.available = sum(wait == 0 for wait in waits)
        self.next_seconds = min((wait for wait in waits if wait), default=None)
