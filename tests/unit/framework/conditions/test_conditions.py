"""Conditions in a status."""

from datetime import UTC, datetime, timedelta
from typing import Any

from apis.core.v1 import ConfigMap
from apis.meta import Condition, ObjectMeta
from framework.conditions import changed_conditions, find_condition, is_true, observed_condition, with_condition

EARLIER = datetime(2026, 1, 1, tzinfo=UTC)
LATER = EARLIER + timedelta(hours=1)


def condition(kind: str = "Ready", status: str = "True", **fields: Any) -> Condition:
    given = {"last_transition_time": EARLIER, "reason": "Done", "message": "", **fields}
    return Condition(type=kind, status=status, **given)


def test_a_condition_is_found_by_its_type() -> None:
    ready, stalled = condition(), condition("Stalled")

    assert find_condition([ready, stalled], "Stalled") is stalled
    assert find_condition([ready], "Stalled") is None


def test_only_the_status_true_is_true() -> None:
    assert is_true([condition()], "Ready")
    assert not is_true([condition(status="False")], "Ready")
    assert not is_true([condition(status="Unknown")], "Ready")
    assert not is_true([], "Ready")


def test_a_new_condition_goes_to_the_end() -> None:
    ready, stalled = condition(), condition("Stalled")

    assert with_condition([ready], stalled) == [ready, stalled]


def test_a_known_condition_keeps_its_place() -> None:
    ready, stalled, failed = condition(), condition("Stalled"), condition("Failed")
    wanted = condition("Stalled", "False", last_transition_time=LATER)

    assert with_condition([ready, stalled, failed], wanted) == [ready, wanted, failed]


def test_transition_time_moves_when_the_status_changes() -> None:
    (changed,) = with_condition([condition(status="False")], condition(status="True", last_transition_time=LATER))

    assert changed.last_transition_time == LATER


def test_transition_time_stays_when_only_the_words_change() -> None:
    wanted = condition(reason="Other", message="new", observed_generation=7, last_transition_time=LATER)

    (changed,) = with_condition([condition()], wanted)

    assert changed.last_transition_time == EARLIER
    assert (changed.reason, changed.message, changed.observed_generation) == ("Other", "new", 7)


def test_saying_the_same_again_changes_nothing() -> None:
    present = [condition(), condition("Stalled")]

    assert with_condition(present, condition(last_transition_time=LATER)) == present


def test_the_given_list_is_left_alone() -> None:
    present = [condition()]

    with_condition(present, condition(status="False", last_transition_time=LATER))

    assert present == [condition()]


def test_an_observed_condition_speaks_of_the_generation_that_was_seen_to_the_second() -> None:
    seen = ConfigMap(metadata=ObjectMeta(name="x", generation=3))

    observed = observed_condition(seen, "Ready", "False", reason="Why", now=EARLIER.replace(microsecond=5))

    assert observed == condition(status="False", reason="Why", observed_generation=3)


def test_no_change_is_told_apart_from_a_change() -> None:
    present = [condition(), condition("Stalled")]
    again, new = condition(last_transition_time=LATER), condition("Failed")

    assert changed_conditions(present, again) is None
    assert changed_conditions(present) is None
    assert changed_conditions(present, again, new) == [*present, new]
