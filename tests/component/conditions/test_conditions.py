"""Conditions on the embedded server."""

from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec
import pytest

from apis.meta import Condition, Key
from framework.conditions import find_condition, observed_condition, patch_conditions
from framework.errors import Conflict
from tests.component.apply.stage import NAMESPACE, Stage, Widget, Writes

EARLIER = datetime(2026, 1, 1, 12, 0, 0, 987654, tzinfo=UTC)
LATER = EARLIER + timedelta(hours=1)
KEY = Key(NAMESPACE, "w")


class Hand:
    """One controller that speaks of one condition."""

    def __init__(self, stage: Stage, name: str, condition_type: str) -> None:
        self.writes = Writes()
        self._client = stage.client.acting_as(f"windlass/{name}", self.writes)
        self._condition_type = condition_type

    def say(self, widget: Widget, status: Literal["True", "False", "Unknown"], now: datetime) -> Widget | None:
        wanted = observed_condition(widget, self._condition_type, status, reason="Seen", now=now)
        return patch_conditions(self._client, widget, widget.status.conditions, wanted)


def found(stage: Stage, condition_type: str) -> Condition:
    condition = find_condition(stage.client.get(Widget, KEY).status.conditions, condition_type)
    assert condition is not None
    return condition


def test_a_condition_is_written_with_the_generation_it_speaks_of(stage: Stage) -> None:
    widget = stage.client.merge_patch(Widget, stage.widget().key, {"spec": {"texts": {"a": "1"}}})

    written = Hand(stage, "a", "Ready").say(widget, "True", EARLIER)

    assert written is not None
    (condition,) = written.status.conditions
    assert condition.observed_generation == 2
    assert condition.last_transition_time == EARLIER.replace(microsecond=0)


def test_saying_the_same_again_writes_nothing(stage: Stage) -> None:
    hand = Hand(stage, "a", "Ready")
    hand.say(stage.widget(), "True", EARLIER)
    hand.writes.made.clear()

    assert hand.say(stage.client.get(Widget, KEY), "True", LATER) is None
    assert hand.writes.made == []


def test_a_new_generation_moves_what_was_observed_and_not_the_transition(stage: Stage) -> None:
    hand = Hand(stage, "a", "Ready")
    hand.say(stage.widget(), "True", EARLIER)
    widget = stage.client.merge_patch(Widget, KEY, {"spec": {"texts": {"a": "1"}}})

    hand.say(widget, "True", LATER)

    assert found(stage, "Ready").observed_generation == 2
    assert found(stage, "Ready").last_transition_time == EARLIER.replace(microsecond=0)


def test_another_status_moves_the_transition(stage: Stage) -> None:
    hand = Hand(stage, "a", "Ready")
    hand.say(stage.widget(), "True", EARLIER)

    hand.say(stage.client.get(Widget, KEY), "False", LATER)

    assert found(stage, "Ready").last_transition_time == LATER.replace(microsecond=0)


def test_of_two_controllers_each_changes_its_own(stage: Stage) -> None:
    one, other = Hand(stage, "one", "Ready"), Hand(stage, "other", "Stalled")
    after_one = one.say(stage.widget(), "True", EARLIER)
    assert after_one is not None
    other.say(after_one, "False", EARLIER)

    one.say(stage.client.get(Widget, KEY), "False", LATER)

    assert found(stage, "Stalled").last_transition_time == EARLIER.replace(microsecond=0)
    assert (found(stage, "Ready").status, found(stage, "Stalled").status) == ("False", "False")


def test_a_controller_that_has_not_seen_the_others_condition_cannot_remove_it(stage: Stage) -> None:
    stale = stage.widget()
    Hand(stage, "one", "Ready").say(stale, "True", EARLIER)

    with pytest.raises(Conflict):
        Hand(stage, "other", "Stalled").say(stale, "True", EARLIER)

    assert found(stage, "Ready").status == "True"


def test_a_condition_that_another_controller_applies_is_not_taken_from_it(stage: Stage) -> None:
    applied = observed_condition(stage.widget(), "Applied", "True", reason="Seen", now=EARLIER)
    manifest = {"metadata": {"name": "w", "namespace": NAMESPACE}}
    status = {"conditions": [msgspec.to_builtins(applied)]}
    applier = stage.client.acting_as("applier")
    applier.apply(Widget, {**manifest, "status": status}, subresource="status", force=False)

    Hand(stage, "one", "Ready").say(stage.client.get(Widget, KEY), "True", EARLIER)
    gone = applier.apply(Widget, {**manifest, "status": {}}, subresource="status", force=False)

    assert [each.type for each in gone.status.conditions] == ["Ready"]
