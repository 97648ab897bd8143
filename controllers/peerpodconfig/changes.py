"""Which changes matter to how VMs are divided: nodes tell of themselves every few seconds, and mostly nothing new."""

from collections.abc import Callable
from typing import Any

from apis.core.v1 import Node
from apis.meta import Unstructured
from controllers.peerpodconfig.node_writer import worth
from framework.store import Change

# Also what can freeze a config, for then others may not take its nodes.
_ALLOCATING = (
    "labelSelector",
    "nodeSelector",
    "tolerations",
    "limit",
    "limitScope",
    "webhook",
    "configMapName",
    "cloudSecretName",
)


def node_changes_allocation(resource: str) -> Callable[[Change[Node]], bool]:
    def is_news(change: Change[Node]) -> bool:
        if change.is_resync:
            return True
        old, new = change.old, change.new
        return old is None or new is None or _seen(old, resource) != _seen(new, resource)

    return is_news


def config_changes_allocation(change: Change[Unstructured]) -> bool:
    if change.is_resync:
        return False
    old, new = change.old, change.new
    return old is None or new is None or _asked(old) != _asked(new)


def _seen(node: Node, resource: str) -> tuple[Any, ...]:
    metadata = node.metadata
    return (
        metadata.uid,
        metadata.labels,
        metadata.is_being_deleted,
        node.spec.taints,
        worth(node.status.capacity.get(resource)),
    )


def _asked(config: Unstructured) -> tuple[Any, ...]:
    spec = config.content.get("spec") or {}
    return config.metadata.uid, config.metadata.is_being_deleted, [spec.get(name) for name in _ALLOCATING]
