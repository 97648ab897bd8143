from datetime import UTC, datetime
from typing import Any

import pytest

from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease, WorkerReleaseSpec, WorkerReleaseStatus
from apis.meta import Condition, ObjectMeta
from controllers.workeralias.status import mirrored_conditions, mirrored_fields


def a_release(generation: int, **status: Any) -> WorkerRelease:
    metadata = ObjectMeta(name="r", namespace="n", generation=generation)
    return WorkerRelease(metadata=metadata, spec=WorkerReleaseSpec(), status=WorkerReleaseStatus(**status))


def a_condition(kind: str, generation: int = 1) -> Condition:
    now = datetime(2024, 1, 1, tzinfo=UTC)
    return Condition(
        type=kind, status="True", reason="R", message="", last_transition_time=now, observed_generation=generation
    )


def test_status_is_the_canonical_one_and_what_that_has_not_goes() -> None:
    alias = a_release(1, phase=ReleasePhase.PENDING, message="waits")

    fields = mirrored_fields(alias, a_release(1, phase=ReleasePhase.ACTIVE, image="i", observed_generation=1))

    assert fields == {"phase": "Active", "message": None, "image": "i", "observedGeneration": 1}


@pytest.mark.parametrize(("observed", "told"), [(5, 2), (4, 1)])
def test_generations_are_those_of_the_alias(observed: int, told: int) -> None:
    alias = a_release(2)
    canonical = a_release(5, observed_generation=observed, conditions=[a_condition("Valid", observed)])

    fields, conditions = mirrored_fields(alias, canonical), mirrored_conditions(alias, canonical)

    assert fields["observedGeneration"] == told
    assert [each.observed_generation for each in conditions] == [told]


def test_conditions_of_before_go_but_for_the_one_that_tells_of_the_mirror() -> None:
    alias = a_release(1, conditions=[a_condition("Mirrored"), a_condition("Built")])

    seen = mirrored_conditions(alias, a_release(1, conditions=[a_condition("Valid")]))

    assert {each.type for each in seen} == {"Mirrored", "Valid"}
