"""Which Cluster an Instance goes to: the same inputs always give the same answer."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import msgspec

from apis.laf.cluster import Cluster
from controllers.instance.needs import Limits, Need


class Load(msgspec.Struct, frozen=True):
    """What is reserved on a cluster, and by how many."""

    need: Need = Need()
    instances: int = 0


class Candidate(msgspec.Struct, frozen=True):
    """A Cluster that an Instance may see."""

    cluster: Cluster
    is_ready: bool
    load: Load

    @property
    def limits(self) -> Limits:
        return Limits.of(self.cluster.spec.capacity if self.cluster.spec else None)

    def fits(self, need: Need, instances: int = 1) -> bool:
        after, limits = self.load.need + need, self.limits
        return (
            after.cpu <= limits.cpu
            and after.memory <= limits.memory
            and self.load.instances + instances <= limits.instances
        )

    def utilisation_with(self, need: Need) -> Fraction:
        """The largest of what would be used of each limited resource, exactly."""
        after, limits = self.load.need + need, self.limits
        pairs = ((after.cpu, limits.cpu), (after.memory, limits.memory), (self.load.instances + 1, limits.instances))
        return max((Fraction(used, int(limit)) for used, limit in pairs if limit != float("inf")), default=Fraction(0))


class Refusal(msgspec.Struct, frozen=True):
    """Why there is no place, and how many Clusters each reason concerns."""

    reason: str
    message: str


class Wish(msgspec.Struct, frozen=True):
    region: str
    need: Need
    # The uid of the Cluster that it must be, and its name; None: any.
    pin: tuple[str, str] | None = None


def choose(candidates: Sequence[Candidate], wish: Wish) -> Cluster | Refusal:
    """The best of *candidates*, all of which are in an eligible namespace."""
    left, counts, reason = list(candidates), [], "NoClusterInRegion"
    for why, told, is_kept in _filters(wish):
        kept = [each for each in left if is_kept(each)]
        if len(kept) < len(left):
            reason = why
            counts.append(f"{len(left) - len(kept)} {told}")
        left = kept
    if not left:
        if wish.pin is not None and reason == "NoClusterInRegion":
            reason = "PinnedClusterNotFound"
        seen = f"{len(candidates)} Clusters" if len(candidates) != 1 else "1 Cluster"
        return Refusal(
            reason, f"no place among {seen} for region {wish.region}: {', '.join(counts) or 'none is known'}"
        )
    return min(left, key=lambda each: _rank(each, wish)).cluster


def _filters(wish: Wish) -> Sequence[tuple[str, str, Callable[[Candidate], bool]]]:
    region, pin = wish.region, wish.pin
    return (
        ("NoClusterInRegion", "being deleted", lambda each: not each.cluster.metadata.is_being_deleted),
        (
            "NoClusterInRegion",
            "of another region",
            lambda each: each.cluster.spec is not None and each.cluster.spec.region == region,
        ),
        (
            "PinnedClusterNotFound",
            f"not {pin[1]}, which spec.clusterName asks for" if pin else "",
            lambda each: pin is None or each.cluster.metadata.uid == pin[0],
        ),
        (
            "ClusterUnschedulable",
            "unschedulable",
            lambda each: each.cluster.spec is not None and not each.cluster.spec.unschedulable,
        ),
        ("NoReadyCluster", "not ready", lambda each: each.is_ready),
        ("InsufficientCapacity", "without room", lambda each: each.fits(wish.need)),
    )


def _rank(candidate: Candidate, wish: Wish) -> tuple[int, Fraction, int, str, str]:
    cluster = candidate.cluster
    priority = cluster.spec.priority if cluster.spec else 0
    return (
        -priority,
        candidate.utilisation_with(wish.need),
        candidate.load.instances,
        cluster.metadata.namespace,
        cluster.metadata.name,
    )
