"""Which Cluster is chosen, and what is said when none is."""

from datetime import UTC, datetime

import msgspec
import pytest

from apis.laf.cluster import Capacity, Cluster
from apis.meta import ObjectMeta
from controllers.instance.needs import Need, nanos
from controllers.instance.placement import Candidate, Load, Refusal, Wish, choose
from tests.unit.controllers.instance.samples import cluster_called, cores

ONE_CORE = Need(nanos("1"), nanos("1Gi"))


def candidate(cluster: Cluster, *, is_ready: bool = True, instances: int = 0) -> Candidate:
    need = Need(instances * ONE_CORE.cpu, instances * ONE_CORE.memory)
    return Candidate(cluster, is_ready=is_ready, load=Load(need, instances))


def name_of(chosen: Cluster | Refusal) -> str:
    return chosen.metadata.name if isinstance(chosen, Cluster) else chosen.reason


def test_the_least_used_wins_and_the_order_is_the_same_each_time() -> None:
    bound = {"a": 0, "b": 0}
    clusters = {"a": cluster_called("a", capacity=cores(2)), "b": cluster_called("b", capacity=cores(4))}
    order = []
    for _ in range(7):
        seen = [candidate(clusters[name], instances=count) for name, count in bound.items()]
        name = name_of(choose(seen, Wish("east", ONE_CORE)))
        order.append(name)
        if name in bound:
            bound[name] += 1

    assert order == ["b", "a", "b", "b", "a", "b", "InsufficientCapacity"]


def test_priority_comes_before_room_and_names_come_last() -> None:
    low, high = cluster_called("a"), cluster_called("z", priority=1)
    assert name_of(choose([candidate(low), candidate(high, instances=9)], Wish("east", ONE_CORE))) == "z"
    same = [candidate(cluster_called(name)) for name in ("c", "b")]
    assert name_of(choose(same, Wish("east", ONE_CORE))) == "b"


@pytest.mark.parametrize(
    ("cluster", "wish", "is_ready", "reason"),
    [
        (cluster_called("a", region="west"), Wish("east", ONE_CORE), True, "NoClusterInRegion"),
        (cluster_called("a"), Wish("east", ONE_CORE, ("uid-b", "b")), True, "PinnedClusterNotFound"),
        (cluster_called("a", region="west"), Wish("east", ONE_CORE, ("uid-a", "a")), True, "PinnedClusterNotFound"),
        (cluster_called("a", unschedulable=True), Wish("east", ONE_CORE), True, "ClusterUnschedulable"),
        (cluster_called("a"), Wish("east", ONE_CORE), False, "NoReadyCluster"),
        (cluster_called("a", capacity=Capacity(memory="512Mi")), Wish("east", ONE_CORE), True, "InsufficientCapacity"),
    ],
)
def test_a_refusal_names_the_last_reason(cluster: Cluster, wish: Wish, *, is_ready: bool, reason: str) -> None:
    refused = choose([candidate(cluster, is_ready=is_ready)], wish)

    assert isinstance(refused, Refusal)
    assert refused.reason == reason
    assert "1 Cluster " in refused.message


def test_none_at_all_is_a_refusal_too() -> None:
    refused = choose([], Wish("east", ONE_CORE))
    assert isinstance(refused, Refusal)
    assert refused.reason == "NoClusterInRegion"


def test_one_that_is_being_deleted_takes_nothing_new() -> None:
    deleted = cluster_called("a")
    metadata = ObjectMeta(
        name="a", namespace="laf-system", uid="uid-a", deletion_timestamp=datetime(2026, 1, 1, tzinfo=UTC)
    )
    deleted = msgspec.structs.replace(deleted, metadata=metadata)
    assert name_of(choose([candidate(deleted)], Wish("east", ONE_CORE))) == "NoClusterInRegion"


def test_a_limit_of_instances_counts_the_new_one() -> None:
    limited = cluster_called("a", capacity=Capacity(instances=2))
    assert name_of(choose([candidate(limited, instances=1)], Wish("east", ONE_CORE))) == "a"
    assert name_of(choose([candidate(limited, instances=2)], Wish("east", ONE_CORE))) == "InsufficientCapacity"
