"""Pods: what their containers do, in one word."""

from collections.abc import Iterable, Sequence
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import age, seconds_of
from framework.apiserver.tables.printer import AGE, NAME, FunctionTable, wide
from framework.apiserver.tables.reading import (
    NONE,
    created,
    dig,
    has_condition,
    name_of,
    number_at,
    objects_at,
    text_at,
)

_COLUMNS = (
    NAME,
    Column("Ready", description="How many of the containers are ready."),
    Column("Status", description="What the containers of the pod do, in one word."),
    Column("Restarts", description="How often containers were restarted, and when last."),
    AGE,
    wide("IP", "Address of the pod."),
    wide("Node", "Node on which the pod runs."),
    wide("Nominated Node", "Node on which room is being made for the pod."),
    wide("Readiness Gates", "How many of the additional conditions for readiness are true."),
)
_COMPLETED = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


class _Restarts:
    def __init__(self) -> None:
        self._count = 0
        self._last = ""

    def add(self, status: Object) -> None:
        self._count += number_at(status, "restartCount")
        ended = text_at(status, "lastState", "terminated", "finishedAt")
        if ended and (not self._last or seconds_of(self._last) < seconds_of(ended)):
            self._last = ended

    def text(self, now: float) -> str:
        return f"{self._count} ({age(self._last, now)} ago)" if self._count and self._last else str(self._count)


class _Summary:
    """What the containers of one pod say together."""

    def __init__(self, pod: Object) -> None:
        self._pod = pod
        self.reason = _first_reason(pod)
        self.ready = 0
        self.restarts = _Restarts()
        # Init containers that never end count as containers.
        self._sidecars = {
            text_at(one, "name")
            for one in objects_at(pod, "spec", "initContainers")
            if one.get("restartPolicy") == "Always"
        }
        self.total = len(objects_at(pod, "spec", "containers")) + len(self._sidecars)
        self._summarize()

    def _summarize(self) -> None:
        initializing = self._read_init_containers()
        if not initializing or has_condition(objects_at(self._pod, "status", "conditions"), "Initialized"):
            self._read_containers()
        if dig(self._pod, "metadata", "deletionTimestamp"):
            self._read_deletion()

    def _read_init_containers(self) -> bool:
        statuses = objects_at(self._pod, "status", "initContainerStatuses")
        for index, status in enumerate(statuses):
            self.restarts.add(status)
            if dig(status, "state", "terminated") is not None and not number_at(
                status, "state", "terminated", "exitCode"
            ):
                continue
            if status.get("name") in self._sidecars and status.get("started"):
                self.ready += bool(status.get("ready"))
                continue
            self.reason = f"Init:{self._init_reason(status, index)}"
            return True
        return False

    def _init_reason(self, status: Object, index: int) -> str:
        if dig(status, "state", "terminated") is not None:
            return _termination(status)
        waiting = text_at(status, "state", "waiting", "reason")
        if waiting and waiting != "PodInitializing":
            return waiting
        return f"{index}/{len(objects_at(self._pod, 'spec', 'initContainers'))}"

    def _read_containers(self) -> None:
        self.restarts = _Restarts()
        for status in objects_at(self._pod, "status", "initContainerStatuses"):
            if status.get("name") in self._sidecars:
                self.restarts.add(status)
        running, failure = False, ""
        for status in reversed(objects_at(self._pod, "status", "containerStatuses")):
            self.restarts.add(status)
            if waiting := text_at(status, "state", "waiting", "reason"):
                self.reason = waiting
            elif dig(status, "state", "terminated") is not None:
                self.reason = _termination(status)
                if number_at(status, "state", "terminated", "exitCode"):
                    failure = self.reason
            elif status.get("ready") and dig(status, "state", "running") is not None:
                running = True
                self.ready += 1
        if self.reason == "Completed":
            self._read_completion(failure, running=running)

    def _read_completion(self, failure: str, *, running: bool) -> None:
        if running and has_condition(objects_at(self._pod, "status", "conditions"), "Ready"):
            self.reason = "Running"
        elif failure:
            self.reason = failure
        elif running:
            self.reason = "NotReady"

    def _read_deletion(self) -> None:
        if dig(self._pod, "status", "reason") == "NodeLost":
            self.reason = "Unknown"
        elif dig(self._pod, "status", "phase") not in _COMPLETED:
            self.reason = "Terminating"


def _first_reason(pod: Object) -> str:
    for condition in objects_at(pod, "status", "conditions"):
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    return text_at(pod, "status", "reason") or text_at(pod, "status", "phase")


def _termination(status: Object) -> str:
    terminated = dig(status, "state", "terminated")
    if reason := text_at(terminated, "reason"):
        return reason
    if signal := number_at(terminated, "signal"):
        return f"Signal:{signal}"
    return f"ExitCode:{number_at(terminated, 'exitCode')}"


def _cells(pod: Object, now: float) -> Sequence[Any]:
    summary = _Summary(pod)
    return (
        name_of(pod),
        f"{summary.ready}/{summary.total}",
        summary.reason,
        summary.restarts.text(now),
        age(created(pod), now),
        _address(pod) or NONE,
        text_at(pod, "spec", "nodeName") or NONE,
        text_at(pod, "status", "nominatedNodeName") or NONE,
        _gates(objects_at(pod, "spec", "readinessGates"), objects_at(pod, "status", "conditions")),
    )


def _address(pod: Object) -> str:
    addresses = objects_at(pod, "status", "podIPs")
    return text_at(addresses[0], "ip") if addresses else text_at(pod, "status", "podIP")


def _gates(gates: Sequence[Object], conditions: Iterable[Object]) -> str:
    if not gates:
        return NONE
    met = sum(has_condition(conditions, gate.get("conditionType", "")) for gate in gates)
    return f"{met}/{len(gates)}"


def _conditions(pod: Object) -> Sequence[Object]:
    phase = text_at(pod, "status", "phase")
    if phase not in _COMPLETED:
        return ()
    return ({"type": "Completed", "status": "True", "reason": phase, "message": _COMPLETED[phase]},)


PODS = FunctionTable(_COLUMNS, _cells, _conditions)
