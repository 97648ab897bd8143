"""The status of a pod as a kubelet tells it."""

from typing import Any

from framework.apiserver.controllers.conditions import is_true, set_condition
from framework.apiserver.objects import Object

_KILLED = 143


def running(pod: Object, host_ip: str, pod_ip: str, now: str) -> dict[str, Any]:
    """All containers have been started; what is known of them already stays."""
    spec, known = pod["spec"], pod["status"]
    starts = [_started(one, _known(known, "containerStatuses", one), pod, now) for one in spec["containers"]]
    inits = [
        _started(one, _known(known, "initContainerStatuses", one), pod, now)
        if one.get("restartPolicy") == "Always"
        else _ended(one, _known(known, "initContainerStatuses", one), pod, 0, now)
        for one in spec.get("initContainers") or ()
    ]
    conditions = [dict(one) for one in known.get("conditions") or ()]
    gates = [gate["conditionType"] for gate in spec.get("readinessGates") or ()]
    _set_all(conditions, now, is_ready=all(is_true(conditions, gate) for gate in gates))
    status = {**known, "phase": "Running", "conditions": conditions, "startTime": known.get("startTime", now)}
    status.update(_addresses(host_ip, pod_ip), containerStatuses=starts)
    if inits:
        status["initContainerStatuses"] = inits
    return status


def ended(pod: Object, phase: str, now: str) -> dict[str, Any]:
    """All containers have ended: well in a pod that Succeeded, by a signal in one that Failed."""
    spec, known = pod["spec"], pod["status"]
    code = 0 if phase == "Succeeded" else _KILLED
    ends = [_ended(one, _known(known, "containerStatuses", one), pod, code, now) for one in spec["containers"]]
    conditions = [dict(one) for one in known.get("conditions") or ()]
    reason = "PodCompleted" if phase == "Succeeded" else "PodFailed"
    for name in ("Ready", "ContainersReady"):
        set_condition(conditions, {"type": name, "status": "False", "reason": reason}, now)
    set_condition(conditions, {"type": "PodReadyToStartContainers", "status": "False"}, now)
    return {**known, "phase": phase, "conditions": conditions, "containerStatuses": ends}


def _set_all(conditions: list[Object], now: str, *, is_ready: bool) -> None:
    for name in ("PodReadyToStartContainers", "Initialized", "ContainersReady", "PodScheduled"):
        set_condition(conditions, {"type": name, "status": "True"}, now)
    ready: Object = {"type": "Ready", "status": "True" if is_ready else "False"}
    if not is_ready:
        ready.update(
            reason="ReadinessGatesNotReady", message="corresponding condition of pod readiness gate is not True"
        )
    elif (known := next((one for one in conditions if one["type"] == "Ready"), None)) is not None:
        known.pop("reason", None)
        known.pop("message", None)
    set_condition(conditions, ready, now)


def _addresses(host_ip: str, pod_ip: str) -> dict[str, Any]:
    addresses: dict[str, Any] = {"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]}
    return {**addresses, "hostIP": host_ip, "hostIPs": [{"ip": host_ip}]} if host_ip else addresses


def _known(status: Any, field: str, container: Any) -> Any:
    return next((one for one in status.get(field) or () if one["name"] == container["name"]), None)


def _started(container: Any, known: Any, pod: Object, now: str) -> Any:
    image = container.get("image", "")
    if known is not None and known.get("image") == image and "running" in (known.get("state") or {}):
        return known
    # Another image means another start, in the same pod.
    restarts = 0 if known is None else known.get("restartCount", 0) + ("running" in (known.get("state") or {}))
    state = {"running": {"startedAt": now}}
    return {**_head(container, pod), "restartCount": restarts, "ready": True, "started": True, "state": state}


def _ended(container: Any, known: Any, pod: Object, code: int, now: str) -> Any:
    state = (known or {}).get("state") or {}
    if "terminated" in state:
        return known
    head = _head(container, pod)
    end = {
        "exitCode": code,
        "reason": "Error" if code else "Completed",
        "startedAt": (state.get("running") or {}).get("startedAt", now),
        "finishedAt": now,
        "containerID": head["containerID"],
    }
    restarts = (known or {}).get("restartCount", 0)
    # A container of the beginning has done its work; any other is not ready any more.
    is_ready = known is None and not code
    return {**head, "restartCount": restarts, "ready": is_ready, "started": False, "state": {"terminated": end}}


def _head(container: Any, pod: Object) -> dict[str, Any]:
    container_id = f"windlass://{pod['metadata']['uid']}/{container['name']}"
    image = container.get("image", "")
    return {"name": container["name"], "image": image, "imageID": "", "containerID": container_id, "lastState": {}}
