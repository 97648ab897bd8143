"""The garbage collectors of both servers leave the same behind."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from framework.clock import SystemClock
from tests.conformance.api import Api
from tests.conformance.programs.families import Family, create, delete, families, state

_FAMILIES, _ROUNDS = 40, 2
_QUIET_SECONDS, _LIMIT_SECONDS, _PAUSE_SECONDS = 1.5, 60.0, 0.1


@pytest.mark.parametrize("number", range(3))
def test_deletions_of_any_kind_leave_the_same_of_every_family(number: int, embedded_api: Api, real_api: Api) -> None:
    # Many at once: it is the waiting that takes long. For the same reason they are not made smaller. The first example
    # is always the simplest.
    @seed(number)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(families(), min_size=_FAMILIES, max_size=_FAMILIES))
    def run(chosen: list[Family]) -> None:
        differing.extend(_differences(chosen, embedded_api, real_api))

    # Not raised inside: Hypothesis would print all the families.
    differing: list[str] = []
    run()
    assert not differing, "\n".join(differing)


def _differences(chosen: list[Family], embedded: Api, real: Api) -> Iterator[str]:
    namespace = f"families-{uuid.uuid4().hex[:6]}"
    named = {f"f{number}": family for number, family in enumerate(chosen)}
    for api in (embedded, real):
        assert api.create("/api/v1/namespaces", {"metadata": {"name": namespace}}).status == 201
        for surname, family in named.items():
            create(api, namespace, surname, family)
    for turn in range(_ROUNDS):
        for api in (embedded, real):
            for surname, family in named.items():
                if turn < len(family.deletions):
                    delete(api, namespace, surname, family.deletions[turn])
        # What comes next would otherwise depend on how far the collectors are.
        for surname, (ours, theirs) in _settled(namespace, list(named), embedded, real).items():
            if ours != theirs:
                yield f"round {turn} of {named[surname]}: embedded {ours}, real {theirs}"


def _settled(namespace: str, surnames: list[str], embedded: Api, real: Api) -> dict[str, tuple[Any, Any]]:
    """The states on both servers once they have been the same for a while, or else after a long time."""
    clock = SystemClock()
    begin = since = clock.monotonic()
    last: Any = None
    while True:
        states = state(embedded, namespace, surnames), state(real, namespace, surnames)
        now = clock.monotonic()
        if states != last:
            last, since = states, now
        is_quiet = now - since > _QUIET_SECONDS and states[0] == states[1]
        if is_quiet or now - begin > _LIMIT_SECONDS:
            return {surname: (states[0][surname], states[1][surname]) for surname in surnames}
        clock.wait(_PAUSE_SECONDS)
