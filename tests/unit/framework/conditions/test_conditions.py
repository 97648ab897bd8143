"""Conditions in a status."""

from datetime import UTC, datetime, timedelta
from typing import Any

from apis.meta import Condition
from framework.conditions import find_condition, is_true, with_condition

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
