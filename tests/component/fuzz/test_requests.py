"""Whatever it is asked, the server answers by its rules and keeps its objects in order."""

import os

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from tests.component.fuzz.requests import NAMES, OBJECTS, RandomRequest, creation
from tests.component.fuzz.subject import Subject, failing_loudly
from tests.component.fuzz.values import dice_of
from tests.conformance.kinds import DEFINITIONS

# Each has up to forty requests.
PROGRAMS = int(os.environ.get("WINDLASS_FUZZ", "300"))
SEEDS = st.integers(0, 2**64 - 1)


@pytest.mark.timeout(600)
@settings(max_examples=PROGRAMS, deadline=None, suppress_health_check=list(HealthCheck))
@given(SEEDS, st.lists(SEEDS, min_size=1, max_size=40))
def test_no_requests_make_the_server_fail_or_lose_its_order(seed: int, seeds: list[int]) -> None:
    # Of two kinds only, so that requests meet.
    objects = dice_of(seed).sample(OBJECTS, 2)
    kinds = {(obj["apiVersion"], obj["kind"]) for obj in objects}
    with failing_loudly():
        subject = Subject()
        for definition in DEFINITIONS:
            subject.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        for obj in objects:
            for name in NAMES:
                subject.ask(creation(obj, name))

        for one in seeds:
            request = RandomRequest(dice_of(one), [*objects, *subject.live(kinds)]).build()
            note(f"{request}")
            subject.ask(request)

        subject.check()
