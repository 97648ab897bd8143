"""Whether a pod may run on a node."""

from collections.abc import Iterable
from typing import Any

from framework.apiserver.controllers.conditions import is_true
from framework.apiserver.objects import Object

UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_KEEPING_OUT = frozenset({"NoSchedule", "NoExecute"})


def is_node_ready(node: Object) -> bool:
    return is_true((node.get("status") or {}).get("conditions"), "Ready")


def obstacle(pod_spec: Any, node: Object) -> str | None:
    """Why a pod with *pod_spec* cannot run on *node*, in the words of the real scheduler; None if it can."""
    if not is_node_ready(node):
        return "were not ready"
    if not tolerates_all(pod_spec.get("tolerations") or (), _taints(node)):
        return "were unschedulable" if node["spec"].get("unschedulable") else "had untolerated taint(s)"
    if not matches_node(pod_spec, node):
        return "didn't match Pod's node affinity/selector"
    return None


def matches_node(pod_spec: Any, node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    if not (pod_spec.get("nodeSelector") or {}).items() <= labels.items():
        return False
    affinity = (pod_spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return True
    return any(_matches_term(term, labels, node) for term in required.get("nodeSelectorTerms") or ())


def tolerates_all(tolerations: Iterable[Any], taints: Iterable[Any]) -> bool:
    known = list(tolerations)
    return all(any(_tolerates(one, taint) for one in known) for taint in taints if taint.get("effect") in _KEEPING_OUT)


def _taints(node: Object) -> list[Any]:
    taints = list(node["spec"].get("taints") or ())
    return [*taints, UNSCHEDULABLE] if node["spec"].get("unschedulable") else taints


def _tolerates(toleration: Any, taint: Any) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")


def _matches_term(term: Any, labels: dict[str, str], node: Object) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    named = {"metadata.name": node["metadata"]["name"]}
    return all(_holds(one, labels) for one in expressions) and all(_holds(one, named) for one in fields)


def _holds(requirement: Any, values: dict[str, str]) -> bool:
    value, wanted = values.get(requirement["key"]), requirement.get("values") or []
    match requirement["operator"]:
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    # Gt or Lt, of whole numbers.
    if value is None or not value.lstrip("-").isdecimal() or not wanted:
        return False
    return int(value) > int(wanted[0]) if requirement["operator"] == "Gt" else int(value) < int(wanted[0])
