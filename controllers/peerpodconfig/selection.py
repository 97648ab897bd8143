"""Which nodes a PeerPodConfig means."""

from collections.abc import Iterable

import msgspec

from apis.confidentialcontainers.peerpodconfig import Toleration
from apis.core.v1 import Node, Taint
from framework.store import Requirement

WORKER_LABELS = ("node.kubernetes.io/worker", "node-role.kubernetes.io/worker")
_OS_LABEL = "kubernetes.io/os"
# They come and go with a node's health, and health must not move VMs between nodes.
_HEALTH_TAINTS = "node.kubernetes.io/"
_REPELLING = ("NoSchedule", "NoExecute")


class Selection(msgspec.Struct, frozen=True):
    """*requirements* must all hold; None: nothing was said, and then workers are meant."""

    requirements: tuple[Requirement, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()

    def selects(self, node: Node) -> bool:
        if node.metadata.is_being_deleted or node.metadata.labels.get(_OS_LABEL, "linux") != "linux":
            return False
        return self._matches(node) and all(_is_tolerated(taint, self.tolerations) for taint in node.spec.taints)

    def _matches(self, node: Node) -> bool:
        labels = node.metadata.labels
        if self.requirements is None:
            return any(label in labels for label in WORKER_LABELS)
        return all(requirement.matches(labels) for requirement in self.requirements)


def _is_tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    if taint.effect not in _REPELLING or taint.key.startswith(_HEALTH_TAINTS):
        return True
    return any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value
