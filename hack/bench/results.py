"""What was measured, for one contestant and one measure each."""

from collections.abc import Sequence
from statistics import median
from typing import TypeVar

import msgspec

from hack.bench.contestant import Figures

Measured = TypeVar("Measured", bound=msgspec.Struct)


class Sync(msgspec.Struct, frozen=True):
    """From an empty process to a cache that holds everything."""

    cpu_seconds: float
    wall_seconds: float
    peak_rss_mib: float
    kib_per_object: float
    # By those who keep bytes: how large the objects themselves are. Otherwise 0.
    raw_kib_per_object: float
    server_cpu_seconds: float
    startup_cpu_seconds: float
    startup_rss_mib: float


class Ingest(msgspec.Struct, frozen=True):
    """Watch events, each seen by a handler."""

    events: int
    cpu_seconds: float
    wall_seconds: float
    events_per_cpu_second: float
    cpu_microseconds_per_event: float


class Reconciles(msgspec.Struct, frozen=True):
    """From the start of the controller to the last status."""

    cpu_seconds_per_1000: float
    reconciles_per_second: float
    server_cpu_seconds: float
    peak_rss_mib: float
    startup_cpu_seconds: float


def sync_between(
    started: Figures, synced: Figures, settled: Figures, *, objects: int, server_cpu_seconds: float
) -> Sync:
    return Sync(
        cpu_seconds=synced.cpu_seconds - started.cpu_seconds,
        wall_seconds=synced.wall_seconds - started.wall_seconds,
        peak_rss_mib=synced.peak_kib / 1024,
        kib_per_object=(settled.rss_kib - started.rss_kib) / objects,
        raw_kib_per_object=synced.raw_bytes / 1024 / objects,
        server_cpu_seconds=server_cpu_seconds,
        startup_cpu_seconds=started.cpu_seconds,
        startup_rss_mib=started.rss_kib / 1024,
    )


def ingest_between(before: Figures, after: Figures, events: int) -> Ingest:
    cpu = after.cpu_seconds - before.cpu_seconds
    return Ingest(
        events=events,
        cpu_seconds=cpu,
        wall_seconds=after.wall_seconds - before.wall_seconds,
        events_per_cpu_second=events / cpu,
        cpu_microseconds_per_event=cpu / events * 1e6,
    )


def median_of(measured: Sequence[Measured]) -> Measured:
    """Field by field, so that one disturbed round does not decide."""
    columns = zip(*(msgspec.structs.astuple(each) for each in measured), strict=True)
    return type(measured[0])(*(median(column) for column in columns))
