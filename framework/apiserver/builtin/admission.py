"""What the admission plugins do to built-in objects that every server has switched on.

It comes before mutating webhooks, so they see the outcome.
"""

from framework.apiserver.objects import GroupKind, Object

_NOT_READY = "node.kubernetes.io/not-ready"
_UNREACHABLE = "node.kubernetes.io/unreachable"
_TOLERATION_SECONDS = 300
_SYSTEM_PRIORITIES = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


def admit(kind: GroupKind, obj: Object, old: Object | None) -> None:
    """Change *obj*, which is created if *old* is None. Not for subresources."""
    if kind.group:
        return
    if kind.kind == "Pod":
        _tolerate_for_a_while(obj["spec"])
        _set_priority(obj["spec"], old["spec"] if old is not None else None)
    elif kind.kind == "Node" and old is None:
        _taint_until_ready(obj.setdefault("spec", {}))


def _tolerate_for_a_while(spec: Object) -> None:
    tolerations = spec.get("tolerations", [])
    missing = [key for key in (_NOT_READY, _UNREACHABLE) if not any(_tolerates(one, key) for one in tolerations)]
    if missing:
        spec["tolerations"] = tolerations + [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _TOLERATION_SECONDS}
            for key in missing
        ]


def _tolerates(toleration: Object, key: str) -> bool:
    return toleration.get("key", "") in {"", key} and toleration.get("effect", "") in {"", "NoExecute"}


def _set_priority(spec: Object, old: Object | None) -> None:
    if old is not None:
        for field in ("priority", "preemptionPolicy"):
            if field not in spec and field in old:
                spec[field] = old[field]
        return
    spec["priority"] = _SYSTEM_PRIORITIES.get(spec.get("priorityClassName", ""), 0)
    spec.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _taint_until_ready(spec: Object) -> None:
    taint = {"key": _NOT_READY, "effect": "NoSchedule"}
    taints = spec.setdefault("taints", [])
    if not any(one.get("key") == _NOT_READY and one.get("effect") == "NoSchedule" for one in taints):
        taints.append(taint)
