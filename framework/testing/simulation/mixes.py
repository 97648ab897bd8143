"""Random plans: other interleavings, and several faults at a time."""

import random  # noqa: TID251 - seeded
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from framework.testing.simulation.plan import ACTS_OF_THE_USER, Fault, Plan

_MOST_FAULTS = 3


def random_plans(enumerated: Sequence[Plan], seeds: Iterable[int]) -> Iterator[Plan]:
    """One plan for each seed, with up to three of the faults of *enumerated*.

    Under another seed a fault may find no request that it is meant for; what
    it is left out of is a run of its own all the same.
    """
    faults = [fault for plan in enumerated for fault in plan.faults if fault.do not in ACTS_OF_THE_USER]
    for seed in seeds:
        choose = random.Random(f"mix/{seed}")  # noqa: S311 - no secret
        number = min(choose.randint(1, _MOST_FAULTS), len(faults))
        yield Plan(seed, tuple(_elsewhere(fault, choose) for fault in choose.sample(faults, number)))


def _elsewhere(fault: Fault, choose: random.Random) -> Fault:
    """At the same request or event, or at one of the next of its name, such as those that a first fault has led to."""
    later = choose.choice((0, 0, 0, 1, 2))
    if fault.event:
        return msgspec.structs.replace(fault, event=fault.event + later)
    return msgspec.structs.replace(fault, nth=fault.nth + later)
