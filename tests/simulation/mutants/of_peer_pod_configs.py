"""Mutants of the controller of PeerPodConfigs; most of them are defects of upstream's."""

from collections.abc import Callable, Mapping
from typing import Any

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import Node
from controllers.peerpodconfig import register
from controllers.peerpodconfig.node_writer import NodeWriter
from controllers.peerpodconfig.operands import Operands
from controllers.peerpodconfig.orphans import Orphans
from controllers.peerpodconfig.reconciler import PeerPodConfigReconciler, World
from framework.store import Change
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.peer_pod_configs import peer_pod_configs


def _finish_first(self: PeerPodConfigReconciler, config: PeerPodConfig, world: World) -> None:
    self._finalizer.finish(config)
    self._writer.release(world.held_by(config.metadata.uid))
    self._operands.remove_daemon_sets(config.metadata.uid)


def _no_sweep(_self: Orphans, _living: Any, _nodes: Any, _winners: Any) -> None:
    """What is left stays."""


def _no_node_matters(_resource: str) -> Callable[[Change[Node]], bool]:
    return lambda _change: False


def _one_name(_self: Operands, _config: PeerPodConfig, _others: Mapping[str, str]) -> tuple[str, bool]:
    return "peerpodconfig-ctrl-caa-daemon", False


def _label_first(self: NodeWriter, node: Node) -> Callable[[], None]:
    def release() -> None:
        self._label(node, None)
        self._advertise(node, None, mirrored=True)

    return release


def _has_the_text(self: NodeWriter, node: Node, quantity: int) -> bool:
    return node.status.capacity.get(self._resource) == str(quantity)


MUTANTS = (
    Mutant(
        "capacity-outlives-the-config",
        "a config goes before its nodes are released, and nobody looks for what is left",
        peer_pod_configs,
        [(PeerPodConfigReconciler, "_release", _finish_first), (Orphans, "sweep", _no_sweep)],
        known_from="peer pods, 9",
    ),
    Mutant(
        "nodes-not-watched",
        "nodes that come, go and are changed go unnoticed",
        peer_pod_configs,
        [(register, "node_changes_allocation", _no_node_matters)],
        known_from="peer pods, 8",
    ),
    Mutant(
        "one-daemon-set-for-all",
        "two configs write one DaemonSet, each what it wants",
        peer_pod_configs,
        [(Operands, "_name_for", _one_name)],
        known_from="peer pods, 12",
    ),
    Mutant(
        "label-before-number",
        "a node that is released loses first what it would be found by",
        peer_pod_configs,
        [(NodeWriter, "_withdrawal", _label_first)],
    ),
    Mutant(
        "quantities-as-text",
        "1000 is not 1k, so it is written again and again",
        peer_pod_configs,
        [(NodeWriter, "_has", _has_the_text)],
    ),
)
