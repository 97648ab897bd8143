"""The nodes that kwok plays."""

from typing import Any

_NOT_READY = "node.kubernetes.io/not-ready"


def node(name: str) -> dict[str, object]:
    """Return a node for kwok to play; kwok fills in the rest of what a kubelet says."""
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": "kwok",
    }
    metadata = {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def is_ready(document: Any) -> bool:
    conditions = document.get("status", {}).get("conditions", [])
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def is_schedulable(document: Any) -> bool:
    """Return whether the controller manager has noticed that the node is ready."""
    taints = document.get("spec", {}).get("taints", [])
    return is_ready(document) and not any(taint["key"] == _NOT_READY for taint in taints)
