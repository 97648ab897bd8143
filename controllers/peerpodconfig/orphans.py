"""Clears away what configs have left that were taken away by force, while nobody looked."""

from collections.abc import Mapping, Sequence

import structlog

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import Node
from apis.meta import Unstructured, resource_type_of
from controllers.peerpodconfig.node_writer import NodesWritten, NodeWriter
from controllers.peerpodconfig.operands import Operands
from controllers.peerpods.names import CONFIG_LABEL
from framework.client import Client
from framework.errors import WindlassError

_log = structlog.get_logger("windlass.peerpodconfig")


class Orphans:
    def __init__(self, client: Client, nodes: NodeWriter, operands: Operands) -> None:
        self._client = client
        self._nodes = nodes
        self._operands = operands

    def sweep(self, living: frozenset[str], nodes: Sequence[Node], winners: Mapping[str, str]) -> None:
        """Nodes that a living config wins are left to it: it overwrites what is there."""
        labelled = [node for node in nodes if node.metadata.labels.get(CONFIG_LABEL, "") not in {"", *living}]
        of_operands = self._operands.orphans(living)
        if not labelled and not of_operands:
            return
        # Nothing is taken from a config that only our cache does not know yet.
        living |= self._seen_by_the_server()
        lost = [node for node in labelled if node.metadata.labels[CONFIG_LABEL] not in living]
        written = self._nodes.release([node for node in lost if node.metadata.name not in winners])
        for uid in sorted(of_operands - living):
            _log.info("orphan_removed", config_uid=uid)
            self._operands.remove_daemon_sets(uid)
        _check(written)

    def _seen_by_the_server(self) -> frozenset[str]:
        configs: list[Unstructured] = self._client.list(resource_type_of(PeerPodConfig))
        return frozenset(each.metadata.uid for each in configs)


def _check(written: NodesWritten) -> None:
    if written.failed:
        raise WindlassError(written.problem)
