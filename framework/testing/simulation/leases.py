"""Every way in which a leader can lose its lease, right before each of its writes."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from apis.meta import micro_time
from framework.testing.simulation.plan import USER, Fault
from framework.testing.simulation.quiet import counts
from framework.testing.simulation.trace import Step, kind_of

STRANGER = "somebody-else"
# Longer than any renew deadline, and than the lease of another after it.
_LOST_SECONDS = 30.0
# The write is on its way until after the end of the term; until after a renewal has shown another holder.
_SLOW_SECONDS, _NOTICED_SECONDS = 12.0, 7.0
_CONFLICT, _BROKEN, _NO_ANSWER = 409, 500, 0


def lease_losses(steps: Sequence[Step], quiet_seconds: float) -> Iterator[tuple[Fault, ...]]:
    leases = _leases(steps)
    for step in steps:
        is_write = kind_of(step.request) == "write" and step.is_effective and counts(step.request)
        if step.process in leases and is_write:
            yield from _losses_at(step, leases[step.process], quiet_seconds)


def taken_by_a_stranger(spec: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """What differs in a Lease that somebody has taken over by hand, and does not renew."""
    time = micro_time(now)
    transitions = int(spec.get("leaseTransitions") or 0) + 1
    return {"holderIdentity": STRANGER, "leaseTransitions": transitions, "acquireTime": time, "renewTime": time}


def lease_of(request: str) -> str:
    """The path of the Lease that *request* is about; empty if it is about none, or about all."""
    path = request.partition(" ")[2]
    return path if path.startswith("/apis/coordination.k8s.io/") and path.rpartition("/")[0].endswith("/leases") else ""


def _leases(steps: Sequence[Step]) -> dict[str, str]:
    """By process: the Lease that it writes."""
    return {
        step.process: lease
        for step in steps
        if step.process != USER and kind_of(step.request) == "write" and (lease := lease_of(step.request))
    }


def _losses_at(step: Step, lease: str, quiet_seconds: float) -> Iterator[tuple[Fault, ...]]:
    def fault(do: Any, **more: Any) -> Fault:
        return Fault(do, step.request, step.process, step.nth, **more)

    slow = fault("delay", seconds=_SLOW_SECONDS)
    for code in (_CONFLICT, _BROKEN, _NO_ANSWER):
        refuse = fault("refuse", object=lease, code=code, seconds=_LOST_SECONDS)
        yield (refuse,)
        yield refuse, slow
    for do in ("delete_lease", "take_lease"):
        yield (fault(do, object=lease),)
        yield fault(do, object=lease), fault("delay", seconds=_NOTICED_SECONDS)
    yield (fault("stand_still", seconds=_LOST_SECONDS),)
    # So long that the user goes on meanwhile, and what was about to be sent is wrong by then.
    yield (fault("stand_still", seconds=1.5 * quiet_seconds),)
    yield (fault("terminate"),)
    yield fault("terminate"), slow
