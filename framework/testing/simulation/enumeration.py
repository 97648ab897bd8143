"""Every fault that can be placed on a reference run, one plan for each."""

from collections.abc import Iterator, Sequence
from itertools import chain

from framework.testing.simulation.leases import lease_losses
from framework.testing.simulation.outcome import Outcome
from framework.testing.simulation.partitions import partitions
from framework.testing.simulation.plan import USER, Deed, Fault, Plan
from framework.testing.simulation.quiet import counts
from framework.testing.simulation.trace import Step, kind_of
from framework.testing.simulation.travels import travels

# Longer than any time-out of the client.
_LOST_SECONDS = 30.0
# Long enough for everything else to go on, and for the next event of the same object to come.
_HELD_SECONDS = 20.0
_SHORT_HOLD_SECONDS = 0.5
_OFTEN = 2
_JUMP_SECONDS = 3600.0


def enumerated_plans(reference: Outcome, *, quiet_seconds: float) -> Iterator[Plan]:
    seed = reference.plan.seed
    for step in reference.steps:
        if _is_disturbed(step):
            for fault in _faults_at(step, quiet_seconds):
                yield Plan(seed, (fault,))
            if kind_of(step.request) == "write" and step.is_effective:
                # Decided again on a cache that does not know what was done.
                frozen = _frozen_at(step)
                yield Plan(seed, (frozen,))
                yield Plan(seed, (frozen, _fault(step, "lose_answer")))
                # The next life begins at a server that does not know it either.
                lag = _fault(step, "lag", seconds=_HELD_SECONDS)
                yield Plan(seed, (lag,))
                yield Plan(seed, (lag, _fault(step, "crash_after")))
    for fault in chain(_webhooks_down(reference.steps), partitions(reference.steps, quiet_seconds)):
        yield Plan(seed, (fault,))
    for faults in chain(
        lease_losses(reference.steps, quiet_seconds),
        travels(reference.steps, _HELD_SECONDS),
        _done_again(reference.steps),
        _acts_of_the_user(reference.steps),
    ):
        yield Plan(seed, faults)


def _done_again(steps: Sequence[Step]) -> Iterator[tuple[Fault, ...]]:
    """What a write has done is not in the cache when the failure of the next one has it decided again."""
    last: dict[str, Step] = {}
    for step in steps:
        if _is_disturbed(step) and not step.event and kind_of(step.request) == "write" and step.is_effective:
            if step.process in last:
                yield _frozen_at(last[step.process]), _fault(step, "answer", code=500)
            last[step.process] = step


def _is_disturbed(step: Step) -> bool:
    """What is sent all the time, such as the renewals of a lease, is disturbed the first two times only."""
    return step.process != USER and step.nth > 0 and (counts(step.request) or step.nth <= _OFTEN)


def _faults_at(step: Step, quiet_seconds: float) -> Iterator[Fault]:
    if step.event:
        yield from _at_event(step)
        # So long that the user goes on meanwhile.
        yield _fault(step, "cut_off", seconds=1.5 * quiet_seconds)
        return
    kind = kind_of(step.request)
    if kind == "write" and step.is_effective:
        yield _fault(step, "crash_before")
        yield _fault(step, "crash_after")
        # So long that the user goes on meanwhile.
        yield _fault(step, "crash_after", seconds=1.5 * quiet_seconds)
        yield _fault(step, "lose_answer", seconds=_LOST_SECONDS)
        yield _fault(step, "jump", seconds=_JUMP_SECONDS)
        yield _fault(step, "jump", seconds=-_JUMP_SECONDS)
        if not step.request.startswith("POST "):
            yield _fault(step, "answer", code=409)
    if kind != "write":
        yield _fault(step, "answer", code=410)
        yield _fault(step, "answer", code=504)
    yield _fault(step, "answer", code=429, seconds=1.0)
    yield _fault(step, "answer", code=500)
    # A token or a right that is missing for a moment.
    yield _fault(step, "answer", code=401)
    yield _fault(step, "answer", code=403)
    yield _fault(step, "time_out", seconds=_LOST_SECONDS)
    yield _fault(step, "delay", seconds=_SHORT_HOLD_SECONDS)


def _acts_of_the_user(steps: Sequence[Step]) -> Iterator[tuple[Fault, ...]]:
    """What the user has made is deleted, or deleted and made again, right before every request that follows."""
    for path in dict.fromkeys(step.created for step in steps if step.created):
        touches = [number for number, step in enumerate(steps) if step.process == USER and _is_about(step, path)]
        for number, step in enumerate(steps):
            if number > touches[0] and _is_disturbed(step) and not step.event:
                again = _fault(step, "recreate", about=path)
                yield (again,)
                if kind_of(step.request) == "write":
                    # Written to the predecessor, and decided again on a cache that knows of no other.
                    yield _frozen_at(step), again
                if number > touches[-1] and not steps[touches[-1]].request.startswith("DELETE"):
                    # Before that, the workload would miss it.
                    yield (_fault(step, "delete", about=path),)


def _is_about(step: Step, path: str) -> bool:
    return step.created == path or f"{step.request}/".partition(" ")[2].startswith(f"{path}/")


def _webhooks_down(steps: Sequence[Step]) -> Iterator[Fault]:
    """At every write that a webhook is asked about; for so long that writes are tried again, and are refused again."""
    for step in steps:
        if step.is_reviewed and step.process != USER and step.is_effective:
            yield _fault(step, "webhook_refuses", seconds=_HELD_SECONDS)
            yield _fault(step, "webhook_hangs", seconds=_HELD_SECONDS)
            yield _fault(step, "webhook_babbles", seconds=_HELD_SECONDS)


def _at_event(step: Step) -> Iterator[Fault]:
    yield _fault(step, "hold_event", seconds=_HELD_SECONDS)
    yield _fault(step, "skip_event", seconds=_SHORT_HOLD_SECONDS)
    yield _fault(step, "skip_event", seconds=_HELD_SECONDS)
    yield _fault(step, "duplicate_event")
    yield _fault(step, "reset")
    yield _fault(step, "end_watch")
    yield _fault(step, "half_event")
    yield _fault(step, "expire_watch")


def _frozen_at(step: Step) -> Fault:
    return _fault(step, "freeze", seconds=_HELD_SECONDS)


def _fault(step: Step, do: Deed, *, code: int = 0, seconds: float = 0.0, about: str = "") -> Fault:
    # An event is counted over all streams, so the number of its request says nothing.
    nth = 1 if step.event else step.nth
    return Fault(do, step.request, step.process, nth, step.event, code, seconds, about)
