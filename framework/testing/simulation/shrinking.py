"""The smallest plan that still fails: fewer faults, fewer acts, earlier, and seed 0 if that will do."""

import random  # noqa: TID251 - seeded
from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from framework.testing.simulation.plan import Fault, Plan

# Each is a run, and one more pair of runs without faults if what the user does is another.
_MOST_TRIES = 120
# What is known to fail is drawn more often than what is smaller, so that it is soon found again.
_OFTEN = 5
_SETTINGS = settings(
    max_examples=_MOST_TRIES,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    verbosity=Verbosity.quiet,
    suppress_health_check=list(HealthCheck),
)


def shrunk(plan: Plan, fails: Callable[[Plan], bool]) -> Plan:
    """The same for the same *plan*; it is *plan* itself if nothing smaller fails."""
    tried = {str(plan): True}

    def still_fails(other: Plan) -> bool:
        name = str(other)
        if name not in tried:
            tried[name] = len(tried) < _MOST_TRIES and fails(other)
        return tried[name]

    try:
        return find(_parts_of(plan), still_fails, settings=_SETTINGS, random=random.Random(0))  # noqa: S311 - no secret
    except NoSuchExample:
        return plan


@st.composite
def _parts_of(draw: Callable[[st.SearchStrategy[Any]], Any], plan: Plan) -> Plan:
    """Plans that hold a part of *plan*. Hypothesis goes towards 0, which is: none of it."""
    faults = tuple(_no_later(draw, fault) for fault in plan.faults if draw(_mostly()))
    acts = tuple(act for act in plan.acts if draw(_mostly()))
    seed = plan.seed if draw(_mostly()) else 0
    return Plan(seed, faults, acts or plan.acts[:1])


def _no_later(draw: Callable[[st.SearchStrategy[Any]], Any], fault: Fault) -> Fault:
    return msgspec.structs.replace(
        fault, nth=draw(_up_to(fault.nth)), event=draw(_up_to(fault.event)) if fault.event else 0
    )


def _up_to(number: int) -> st.SearchStrategy[int]:
    return st.sampled_from([*range(1, number), *[number] * _OFTEN * number])


def _mostly() -> st.SearchStrategy[bool]:
    """False is smaller."""
    return st.sampled_from([False, *[True] * _OFTEN])
