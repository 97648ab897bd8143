"""A process that is cut off from one of its clusters, right before each of its writes to any of them."""

from collections.abc import Iterator, Sequence

from framework.testing.simulation.plan import USER, Fault
from framework.testing.simulation.quiet import counts
from framework.testing.simulation.trace import Step, cluster_of, kind_of

# Longer than any time-out of the client.
_SECONDS = 30.0


def partitions(steps: Sequence[Step], quiet_seconds: float) -> Iterator[Fault]:
    """Only where there are several clusters: with one, all its requests fail one by one in other plans."""
    clusters: dict[str, dict[str, None]] = {}
    for step in steps:
        if step.process != USER and step.nth:
            clusters.setdefault(step.process, {})[cluster_of(step.request)] = None
    for step in steps:
        away = clusters.get(step.process, {})
        is_write = kind_of(step.request) == "write" and step.is_effective and counts(step.request)
        if len(away) < 2 or not is_write:  # noqa: PLR2004 - more than one
            continue
        for cluster in away:
            for seconds in (_SECONDS, 1.5 * quiet_seconds):
                yield Fault("partition", step.request, step.process, step.nth, seconds=seconds, object=cluster)
            yield Fault("cut", step.request, step.process, step.nth, seconds=_SECONDS, object=cluster)
