"""The conditions of a pod that the server itself sets."""

from framework.apiserver.objects import Object


def set_pod_condition(pod: Object, condition: Object, now: str) -> None:
    """Put *condition* into the status; the time moves only when its status does."""
    conditions = pod["status"].setdefault("conditions", [])
    for position, known in enumerate(conditions):
        if known.get("type") == condition["type"]:
            moved = known.get("status") != condition["status"]
            time = now if moved else known.get("lastTransitionTime", now)
            conditions[position] = {**condition, "lastTransitionTime": time}
            return
    conditions.append({**condition, "lastTransitionTime": now})
