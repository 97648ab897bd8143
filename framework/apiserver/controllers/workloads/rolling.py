"""How many pods each ReplicaSet of a Deployment may have right now."""

import math
from typing import Any

import msgspec

from framework.apiserver.objects import Object


class Limits(msgspec.Struct, frozen=True):
    """What the strategy of a Deployment allows."""

    replicas: int
    max_surge: int
    max_unavailable: int

    @property
    def most(self) -> int:
        return self.replicas + self.max_surge

    @property
    def least_available(self) -> int:
        return self.replicas - self.max_unavailable


def limits_of(deployment: Object) -> Limits:
    spec = deployment["spec"]
    replicas = spec.get("replicas", 1)
    if spec["strategy"]["type"] != "RollingUpdate":
        return Limits(replicas, 0, 0)
    rolling = spec["strategy"].get("rollingUpdate") or {}
    surge = resolve(rolling.get("maxSurge", "25%"), replicas, rounds_up=True)
    unavailable = resolve(rolling.get("maxUnavailable", "25%"), replicas, rounds_up=False)
    if not surge and not unavailable:
        # A rollout must be able to move at all.
        unavailable = 1
    return Limits(replicas, surge, min(unavailable, replicas))


def resolve(value: int | str, total: int, *, rounds_up: bool) -> int:
    """A number, or a percentage of *total*."""
    if isinstance(value, int):
        return value
    share = int(value.rstrip("%")) * total / 100
    return math.ceil(share) if rounds_up else math.floor(share)


def size_of(replica_set: Object | None) -> int:
    return 0 if replica_set is None else int(replica_set["spec"].get("replicas", 1))


def available_of(replica_set: Object) -> int:
    return int(replica_set["status"].get("availableReplicas", 0))


def size_of_new(limits: Limits, new: Object | None, old: list[Object]) -> int:
    """The size of the new ReplicaSet: as far towards its goal as the surge allows."""
    present = size_of(new)
    if present >= limits.replicas:
        return limits.replicas
    total = present + sum(size_of(one) for one in old)
    return present + max(0, min(limits.most - total, limits.replicas - present))


def sizes_of_old(limits: Limits, new: Object, old: list[Object]) -> dict[str, int]:
    """The sizes of the old ReplicaSets by name, once so many pods are gone as availability can spare."""
    sizes = {one["metadata"]["name"]: size_of(one) for one in old}
    total = size_of(new) + sum(sizes.values())
    spare = total - limits.least_available - (size_of(new) - available_of(new))
    if spare <= 0:
        return sizes
    by_age = sorted(old, key=lambda one: (one["metadata"]["creationTimestamp"], one["metadata"]["name"]))
    # Those that are not available are no loss.
    for one in by_age:
        name = one["metadata"]["name"]
        taken = max(0, min(spare, sizes[name] - available_of(one)))
        sizes[name] -= taken
        spare -= taken
    surplus = available_of(new) + sum(available_of(one) for one in old) - limits.least_available
    for one in by_age:
        name = one["metadata"]["name"]
        taken = max(0, min(surplus, sizes[name]))
        sizes[name] -= taken
        surplus -= taken
    return sizes


def sizes_when_scaled(limits: Limits, new: Object | None, old: list[Object]) -> dict[str, int]:
    """The sizes after somebody changed the number of replicas: each ReplicaSet keeps its share."""
    everyone = [one for one in (new, *old) if one is not None]
    active = [one for one in everyone if size_of(one)]
    if len(active) <= 1:
        only = active[0] if active else new or max(old, key=_age, default=None)
        return {} if only is None else {only["metadata"]["name"]: limits.replicas}
    if new is not None and _is_saturated(new, limits):
        return {one["metadata"]["name"]: 0 for one in old}
    return _shares(limits, active)


def _age(replica_set: Object) -> tuple[str, str]:
    return replica_set["metadata"]["creationTimestamp"], replica_set["metadata"]["name"]


def _is_saturated(new: Object, limits: Limits) -> bool:
    annotations: dict[str, Any] = new["metadata"].get("annotations") or {}
    desired = annotations.get("deployment.kubernetes.io/desired-replicas", "")
    return size_of(new) == limits.replicas == available_of(new) and desired == str(limits.replicas)


def _shares(limits: Limits, active: list[Object]) -> dict[str, int]:
    """Divide what is allowed in proportion to the present sizes; the largest gets the rest."""
    allowed = limits.most if limits.replicas else 0
    total = sum(size_of(one) for one in active)
    by_size = sorted(active, key=lambda one: (-size_of(one), *_age(one)))
    sizes = {one["metadata"]["name"]: size_of(one) * allowed // total for one in by_size}
    sizes[by_size[0]["metadata"]["name"]] += allowed - sum(sizes.values())
    return sizes
