"""Programs, by Hypothesis."""

from hypothesis import strategies as st

from tests.conformance.programs.choices import mostly, weighted
from tests.conformance.programs.contents import CONTENTS, STATUSES
from tests.conformance.programs.reads import delete_collections, deletes, gets, lists, watches
from tests.conformance.programs.step import Program, Step
from tests.conformance.programs.writes import applies, creates, first, json_patches, patches, puts, scales

_KINDS = ["widget"] * 6 + ["gadget"] * 2 + ["configmap"] * 3 + ["deployment", "service", "secret"]
_CUSTOM = frozenset({"widget", "gadget"})
_SCALABLE = frozenset({"widget", "deployment"})


def programs() -> st.SearchStrategy[Program]:
    return st.sampled_from(_KINDS).flatmap(_programs_of)


def _programs_of(kind: str) -> st.SearchStrategy[Program]:
    steps = _STEPS[kind]
    # Without an object there is little to do, so there mostly is one. Two lists: one would be short on the average.
    several = st.lists(steps, max_size=10)
    return st.builds(
        lambda begin, some, more: Program(kind, [begin, *some, *more]), mostly(first(kind), steps), several, several
    )


def _steps(kind: str) -> st.SearchStrategy[Step]:
    choices = [
        *[creates(kind)] * 3,
        *[puts(kind)] * 5,
        *[json_patches()] * 3,
        *[patches(kind, "merge")] * 3,
        *[patches(kind, "strategic")] * (1 if kind in _CUSTOM else 3),
        *[applies(kind)] * 6,
        *[deletes()] * 2,
        delete_collections(kind),
        gets(),
        *[lists(kind)] * 2,
        watches(kind),
    ]
    if kind in STATUSES:
        choices += [puts(kind, "status")] * 2
        choices += [json_patches("status"), patches(kind, "merge", "status"), applies(kind, "status")]
    if kind in _SCALABLE:
        choices += [scales()]
    return weighted(choices)


_STEPS = {kind: _steps(kind) for kind in CONTENTS}
