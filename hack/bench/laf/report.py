"""Tables for people."""

from collections.abc import Mapping

from hack.bench.laf.audit import Counts
from hack.bench.laf.results import Found, Paced, percentile
from hack.bench.laf.sizes import Sizes
from hack.bench.report import aligned

_MILLISECONDS = 1000


def tables(found: Found, sizes: Sizes) -> str:
    return "\n\n".join((_converged(found, sizes), _requests(found, sizes), _quiet(found), _paced(found)))


def _converged(found: Found, sizes: Sizes) -> str:
    it = found.converged
    head = ("Instances", "clusters", "wall s", "CPU s", "CPU ms per Instance", "RSS MiB", "peak RSS MiB")
    row = (
        f"{sizes.instances:,}",
        f"{sizes.clusters} ({sizes.real_clusters} real)",
        f"{it.wall_seconds:.1f}",
        f"{it.cpu_seconds:.1f}",
        f"{it.cpu_seconds / sizes.instances * _MILLISECONDS:.1f}",
        f"{it.rss_mib:.0f}",
        f"{it.peak_rss_mib:.0f}",
    )
    servers = [(name, f"{seconds:.1f}") for name, seconds in it.server_cpu_seconds.items()]
    return (
        f"Converge: the process of the controllers\n\n{aligned(head, [row])}\n\n"
        f"Converge: the servers\n\n{aligned(('servers', 'CPU s'), servers)}"
    )


def _requests(found: Found, sizes: Sizes) -> str:
    head = ("asked of", "reads", "writes", "events")
    per_instance = [
        (name, *(f"{number / sizes.instances:.2f}" for number in (each.reads, each.writes, each.events)))
        for name, each in found.converged.requests.items()
    ]
    return f"Converge: requests per Instance\n\n{aligned(head, per_instance)}"


def _quiet(found: Found) -> str:
    it = found.quiet
    title = (
        f"Quiet: {it.wall_seconds:.0f} s, which began {it.settle_seconds:.0f} s after convergence; "
        f"CPU {it.cpu_seconds:.2f} s ({it.cpu_seconds / it.wall_seconds:.1%} of a core), RSS {it.rss_mib:.0f} MiB"
    )
    head = ("asked of", "reads", "writes", "events", "probes", "leases", "watches begun anew")
    return f"{title}\n\n{aligned(head, _quiet_rows(it.requests))}"


def _quiet_rows(requests: Mapping[str, Counts]) -> list[tuple[str, ...]]:
    return [
        (name, *map(str, (each.reads, each.writes, each.events, each.probes, each.leases, each.watches)))
        for name, each in requests.items()
    ]


def _paced(found: Found) -> str:
    head = (
        "clusters",
        "changes",
        "a second",
        "of the others",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "max ms",
        "CPU s",
        "RSS MiB",
        "back s",
    )
    rows = [_pace("all answer", found.undisturbed), _pace("one hangs", found.hanging)]
    return f"From a change of an Instance to its Deployment, on the other clusters\n\n{aligned(head, rows)}"


def _pace(name: str, paced: Paced) -> tuple[str, ...]:
    times = (*(percentile(paced.seconds, percent) for percent in (50, 90, 99)), max(paced.seconds))
    return (
        name,
        str(paced.changes),
        f"{paced.changes_a_second:.1f}",
        str(len(paced.seconds)),
        *(f"{seconds * _MILLISECONDS:.0f}" for seconds in times),
        f"{paced.cpu_seconds:.1f}",
        f"{paced.rss_mib:.0f}",
        "" if paced.return_seconds is None else f"{paced.return_seconds:.1f}",
    )
