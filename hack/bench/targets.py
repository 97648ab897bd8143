"""What Windlass must reach beside these peers, as ratios within one run."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from hack.bench.entrants import KOPF, KUBERNETES, WINDLASS

Measures = Mapping[str, Mapping[str, Any]]


class Target(msgspec.Struct, frozen=True):
    text: str
    measure: str
    figure: str
    peers: tuple[str, ...]
    limit: float
    # True: at least the limit; otherwise at most.
    is_floor: bool = False


class Verdict(msgspec.Struct, frozen=True):
    text: str
    ratio: float | None
    is_met: bool | None


TARGETS = (
    Target("sync CPU, of kopf's", "sync", "cpu_seconds", (KOPF,), 0.05),
    Target("sync CPU, of kubernetes'", "sync", "cpu_seconds", (KUBERNETES,), 0.5),
    Target("sync wall, of the fastest peer's", "sync", "wall_seconds", (KOPF, KUBERNETES), 1.0),
    Target("memory per object, of the smallest peer's", "sync", "kib_per_object", (KOPF, KUBERNETES), 0.35),
    Target("saturated ingest, times kopf's", "saturated", "events_per_cpu_second", (KOPF,), 40.0, is_floor=True),
    Target("live ingest CPU per event, of kopf's", "live", "cpu_microseconds_per_event", (KOPF,), 0.12),
    Target("CPU per 1,000 reconciles, of kopf's", "reconcile", "cpu_seconds_per_1000", (KOPF,), 0.2),
)


def judge(measures: Measures) -> list[Verdict]:
    return [_judge(target, measures) for target in TARGETS]


def _judge(target: Target, measures: Measures) -> Verdict:
    found = measures.get(target.measure, {})
    text = f"{target.text} {'≥' if target.is_floor else '≤'} {target.limit:g}"
    if any(name not in found for name in (WINDLASS, *target.peers)):
        return Verdict(text, None, None)
    hardest: Callable[..., float] = max if target.is_floor else min
    best_peer = hardest(getattr(found[name], target.figure) for name in target.peers)
    ratio = getattr(found[WINDLASS], target.figure) / best_peer
    return Verdict(text, ratio, ratio >= target.limit if target.is_floor else ratio <= target.limit)
