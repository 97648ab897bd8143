"""Writes to nodes: which config they belong to, and how many VMs they have.

The label comes before the number and goes after it, so that a node without a label has no number of ours: whatever
is left undone, is found by its label.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import structlog

from apis.core.v1 import Node
from apis.meta.quantity import parse_quantity
from controllers.peerpodconfig.corrections import Corrections
from controllers.peerpodconfig.metrics import ConfigMetrics
from controllers.peerpodconfig.parallel import Parallel
from controllers.peerpods.names import CONFIG_LABEL
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client
from framework.errors import LeadershipLost, NotFound

_MOST_NAMED = 5
_NANO = 10**9

_log = structlog.get_logger("windlass.peerpodconfig")


class NodesWritten(msgspec.Struct, frozen=True):
    """*failed* says why, by the node's name; *contested* are nodes that wait, and *retry_seconds* how long."""

    failed: dict[str, str] = {}
    contested: tuple[str, ...] = ()
    retry_seconds: float | None = None

    @property
    def is_complete(self) -> bool:
        return not self.failed and self.retry_seconds is None

    @property
    def problem(self) -> str:
        """Names some of the nodes that failed, and why the first one did."""
        names = sorted(self.failed)
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"cannot write to {', '.join(names[:_MOST_NAMED])}{more}: {self.failed[names[0]]}"


class NodeWriter:
    def __init__(
        self,
        client: Client,
        options: PeerPodOptions,
        parallel: Parallel,
        corrections: Corrections,
        metrics: ConfigMetrics,
    ) -> None:
        self._client = client
        self._resource = options.extended_resource
        self._mirrors_allocatable = options.mirror_allocatable
        self._parallel = parallel
        self._corrections = corrections
        self._metrics = metrics

    def assign(self, uid: str, quantities: Mapping[str, int], nodes: Mapping[str, Node]) -> NodesWritten:
        """Make the nodes named in *quantities* those of the config *uid*; nothing is sent for one that is right."""
        jobs: dict[str, Callable[[], None]] = {}
        contested: list[str] = []
        waits: list[float] = []
        for name, quantity in sorted(quantities.items()):
            node = nodes[name]
            if self._is_assigned(node, uid, quantity):
                continue
            wait = self._corrections.seconds_to_wait(node.metadata.uid, quantity)
            if wait > 0:
                waits.append(wait)
            else:
                jobs[name] = self._assignment(node, uid, quantity)
            if self._corrections.is_contested(node.metadata.uid):
                contested.append(name)
        failed = self._run(jobs)
        return NodesWritten(failed, tuple(contested), min(waits, default=None))

    def release(self, nodes: Sequence[Node]) -> NodesWritten:
        """Take number and label away, if they are there."""
        return NodesWritten(self._run({node.metadata.name: self._withdrawal(node) for node in nodes}))

    def _is_assigned(self, node: Node, uid: str, quantity: int) -> bool:
        return node.metadata.labels.get(CONFIG_LABEL) == uid and self._has(node, quantity)

    def _has(self, node: Node, quantity: int) -> bool:
        places = [node.status.capacity, *([node.status.allocatable] if self._mirrors_allocatable else [])]
        # By their worth: what was written as 1000 is read as 1k.
        return all(worth(place.get(self._resource)) == quantity * _NANO for place in places)

    def _assignment(self, node: Node, uid: str, quantity: int) -> Callable[[], None]:
        def assign() -> None:
            if node.metadata.labels.get(CONFIG_LABEL) != uid:
                self._label(node, uid)
            if not self._has(node, quantity):
                self._advertise(node, str(quantity), mirrored=self._mirrors_allocatable)
                self._corrections.written(node.metadata.uid, quantity)

        return assign

    def _withdrawal(self, node: Node) -> Callable[[], None]:
        def release() -> None:
            # Also when none is seen: what was written last may not be in the cache yet.
            self._advertise(node, None, mirrored=True)
            self._label(node, None)
            self._corrections.forget(node.metadata.uid)

        return release

    def _label(self, node: Node, uid: str | None) -> None:
        self._client.merge_patch(Node, node.key, {"metadata": {"labels": {CONFIG_LABEL: uid}}}, uid=node.metadata.uid)

    def _advertise(self, node: Node, quantity: str | None, *, mirrored: bool) -> None:
        places = ("capacity", "allocatable") if mirrored else ("capacity",)
        status = {place: {self._resource: quantity} for place in places}
        self._client.merge_patch(Node, node.key, {"status": status}, uid=node.metadata.uid, subresource="status")

    def _run(self, jobs: Mapping[str, Callable[[], None]]) -> dict[str, str]:
        failed: dict[str, str] = {}
        for name, error in zip(jobs, self._parallel.outcomes(list(jobs.values())), strict=True):
            if error is None or isinstance(error, NotFound):
                # One that is gone needs nothing.
                self._metrics.patches.labels("written" if error is None else "gone").inc()
                continue
            if isinstance(error, LeadershipLost):
                raise error
            self._metrics.patches.labels("failed").inc()
            _log.warning("node_not_written", node=name, error=str(error))
            failed[name] = str(error)
        return failed


def worth(text: str | None) -> int | None:
    """In billionths; None if there is no number that anybody could read."""
    if text is None:
        return None
    try:
        return parse_quantity(text).nanos
    except ValueError:
        return None
