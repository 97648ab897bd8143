"""What was found, and what it must be."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from hack.bench.laf.audit import Counts
from hack.bench.laf.sizes import Sizes
from hack.bench.targets import Verdict

MOST_TIMES_UNDISTURBED = 1.2
_PERCENT = 100


class Converged(msgspec.Struct, frozen=True):
    """From the first Instance that was created to the last that is carried out."""

    wall_seconds: float
    cpu_seconds: float
    rss_mib: float
    peak_rss_mib: float
    # How many Deployments are on the cluster that their Instance names.
    deployments: int
    # By the group of servers.
    server_cpu_seconds: Mapping[str, float]
    requests: Mapping[str, Counts]


class Quiet(msgspec.Struct, frozen=True):
    settle_seconds: float
    wall_seconds: float
    cpu_seconds: float
    rss_mib: float
    # Clusters that were probed.
    probed: int
    requests: Mapping[str, Counts]


class Paced(msgspec.Struct, frozen=True):
    """Changes that came one after the other; the times are those of Instances on clusters that answer."""

    changes: int
    changes_a_second: float
    seconds: Sequence[float]
    cpu_seconds: float
    rss_mib: float
    # After the cluster that hung answers again: until all of its own are done, too.
    return_seconds: float | None = None


class Found(msgspec.Struct, frozen=True):
    converged: Converged
    quiet: Quiet
    undisturbed: Paced
    hanging: Paced


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many percent of all are not above: no value is made up."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / _PERCENT) - 1)]


def pooled(rounds: Sequence[Paced]) -> Paced:
    returned = [each.return_seconds for each in rounds if each.return_seconds is not None]
    return Paced(
        changes=sum(each.changes for each in rounds),
        changes_a_second=rounds[0].changes_a_second,
        seconds=[value for each in rounds for value in each.seconds],
        cpu_seconds=sum(each.cpu_seconds for each in rounds),
        rss_mib=max(each.rss_mib for each in rounds),
        return_seconds=max(returned, default=None),
    )


def judge(found: Found, sizes: Sizes) -> list[Verdict]:
    work = sum(each.work for each in found.quiet.requests.values())
    ratio = percentile(found.hanging.seconds, 99) / percentile(found.undisturbed.seconds, 99)
    deployments, probed = found.converged.deployments, found.quiet.probed
    return [
        Verdict(f"Deployments on their clusters = {sizes.instances}", deployments, deployments == sizes.instances),
        Verdict("quiet: writes, and reads that are no probes ≤ 0", work, work == 0),
        Verdict(f"quiet: clusters that were probed = {sizes.clusters}", probed, probed == sizes.clusters),
        Verdict(
            f"p99 of the others while one cluster hangs, of the undisturbed ≤ {MOST_TIMES_UNDISTURBED}",
            ratio,
            ratio <= MOST_TIMES_UNDISTURBED,
        ),
    ]
