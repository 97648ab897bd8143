"""Nodes."""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import UNKNOWN, age
from framework.apiserver.tables.printer import AGE, NAME, FunctionTable, wide
from framework.apiserver.tables.reading import NONE, created, dig, name_of, objects_at, text_at

_ROLE_PREFIX = "node-role.kubernetes.io/"
_ROLE = "kubernetes.io/role"


def _cells(obj: Object, now: float) -> Sequence[Any]:
    info = dig(obj, "status", "nodeInfo") or {}
    architecture = text_at(info, "architecture")
    kernel = text_at(info, "kernelVersion") or UNKNOWN
    return (
        name_of(obj),
        _status(obj),
        ",".join(sorted(_roles(obj))) or NONE,
        age(created(obj), now),
        text_at(info, "kubeletVersion"),
        _address(obj, "InternalIP"),
        _address(obj, "ExternalIP"),
        text_at(info, "osImage") or UNKNOWN,
        f"{kernel} ({architecture})" if architecture else kernel,
        text_at(info, "containerRuntimeVersion") or UNKNOWN,
    )


def _status(obj: Object) -> str:
    readiness = "Unknown"
    for condition in objects_at(obj, "status", "conditions"):
        if condition.get("type") == "Ready":
            readiness = "Ready" if condition.get("status") == "True" else "NotReady"
    return f"{readiness},SchedulingDisabled" if dig(obj, "spec", "unschedulable") else readiness


def _roles(obj: Object) -> set[str]:
    labels: dict[str, str] = dig(obj, "metadata", "labels") or {}
    roles = {name.removeprefix(_ROLE_PREFIX) for name in labels if name.startswith(_ROLE_PREFIX)}
    return (roles | {labels.get(_ROLE, "")}) - {""}


def _address(obj: Object, kind: str) -> str:
    found = (text_at(one, "address") for one in objects_at(obj, "status", "addresses") if one.get("type") == kind)
    return next(found, NONE)


NODES = FunctionTable(
    (
        NAME,
        Column("Status", description="Whether the node takes pods."),
        Column("Roles", description="Roles that the labels give to the node."),
        AGE,
        Column("Version", description="Version of the kubelet."),
        wide("Internal-IP", "Address inside of the cluster."),
        wide("External-IP", "Address outside of the cluster."),
        wide("OS-Image", "Operating system."),
        wide("Kernel-Version", "Kernel and architecture."),
        wide("Container-Runtime", "Container runtime and its version."),
    ),
    _cells,
)
