"""Mutants of the controller of PeerPodConfigs; most of them are defects of upstream's."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from apis.confidentialcontainers.peerpodconfig import DEFAULT_CONFIG_MAP, PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import Node
from apis.meta import Key, controller_reference
from controllers.peerpodconfig import allocation, operands, register
from controllers.peerpodconfig.daemon_set import daemon_set
from controllers.peerpodconfig.node_writer import NodeWriter
from controllers.peerpodconfig.operands import AppliedDaemonSet, Operands
from controllers.peerpodconfig.orphans import Orphans
from controllers.peerpodconfig.reconciler import PeerPodConfigReconciler, World
from controllers.peerpodconfig.selection import WORKER_LABELS, Selection
from controllers.peerpodconfig.settings import ResolvedSettings, SettingsReader
from controllers.peerpodconfig.validation import Wishes
from controllers.peerpods.options import PeerPodOptions
from framework.store import Change
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.peer_pod_configs import peer_pod_configs

_quantities, _read, _bring = allocation.quantities, SettingsReader.read, Operands._bring


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


def _rest_lost(wishes: Wishes, names: Sequence[str]) -> dict[str, int]:
    least = min(_quantities(wishes, names).values(), default=0)
    return dict.fromkeys(names, least)


def _workers_whatever_is_said(_self: Selection, node: Node) -> bool:
    return any(label in node.metadata.labels for label in WORKER_LABELS)


def _add_below_capacity(self: NodeWriter, node: Node, quantity: str | None, *, mirrored: bool) -> None:
    places = ("capacity", "allocatable") if mirrored else ("capacity",)
    name = self._resource.replace("/", "~1")
    operation = {"op": "remove"} if quantity is None else {"op": "add", "value": quantity}
    operations = [{**operation, "path": f"/status/{place}/{name}"} for place in places]
    self._client.json_patch(Node, node.key, operations, subresource="status")


def _usual_names(self: SettingsReader, spec: PeerPodConfigSpec) -> ResolvedSettings:
    return _read(self, msgspec.structs.replace(spec, config_map_name=DEFAULT_CONFIG_MAP))


def _settings_of_the_first_request(self: SettingsReader, spec: PeerPodConfigSpec) -> ResolvedSettings:
    kept: dict[str, ResolvedSettings] = self.__dict__.setdefault("kept", {})
    return kept.setdefault("", _read(self, spec))


def _never_updated(self: Operands, config: PeerPodConfig, name: str, settings: ResolvedSettings) -> AppliedDaemonSet:
    found = self._daemon_sets.get(Key(self._options.namespace, name))
    return _bring(self, config, name, settings) if found is None else AppliedDaemonSet(name, "unchanged", found)


def _owner_anywhere(
    config: PeerPodConfig, name: str, settings: ResolvedSettings, options: PeerPodOptions
) -> dict[str, Any]:
    manifest = daemon_set(config, name, settings, options)
    owner = msgspec.to_builtins(controller_reference(config))
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": [owner]}}


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
    Mutant(
        "rest-of-the-division-lost",
        "what is left when a limit is divided is given to nobody",
        peer_pod_configs,
        [(allocation, "quantities", _rest_lost)],
        known_from="peer pods, 1",
    ),
    Mutant(
        "workers-whatever-is-said",
        "nodes are known by a fixed label, and not by the selector",
        peer_pod_configs,
        [(Selection, "_matches", _workers_whatever_is_said)],
        known_from="peer pods, 3",
    ),
    Mutant(
        "capacity-must-be-there",
        "a number is added to the capacity of a node, which need not have any",
        peer_pod_configs,
        [(NodeWriter, "_advertise", _add_below_capacity)],
        known_from="peer pods, 5",
    ),
    Mutant(
        "usual-names-of-settings",
        "settings are read from the usual names, and not from those in the spec",
        peer_pod_configs,
        [(SettingsReader, "read", _usual_names)],
        known_from="peer pods, 6",
    ),
    Mutant(
        "daemon-set-never-updated",
        "a DaemonSet that is there is left as it is",
        peer_pod_configs,
        [(Operands, "_bring", _never_updated)],
        known_from="peer pods, 7",
    ),
    Mutant(
        "settings-of-another-request",
        "what was read for one config is used for the next",
        peer_pod_configs,
        [(SettingsReader, "read", _settings_of_the_first_request)],
        known_from="peer pods, 10",
    ),
    Mutant(
        "owner-in-another-namespace",
        "a DaemonSet is owned by a config of another namespace, and so collected as soon as it is made",
        peer_pod_configs,
        [(operands, "daemon_set", _owner_anywhere)],
        known_from="peer pods, 11",
    ),
)
