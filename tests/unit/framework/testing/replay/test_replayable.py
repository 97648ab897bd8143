from typing import get_args

import pytest

from framework.testing.replay import REPLAYABLE, NotReplayable, class_of, obstacle_to
from framework.testing.replay.replayable import IMPOSSIBLE, check_is_replayable
from framework.testing.simulation import Fault, Plan
from framework.testing.simulation.plan import Deed


def test_every_deed_is_either_replayed_or_refused_for_a_reason() -> None:
    assert set(get_args(Deed)) <= {*REPLAYABLE, *IMPOSSIBLE}


def test_a_jump_of_the_clock_is_refused_by_name() -> None:
    plan = Plan(0, (Fault("crash_before", "PATCH /x"), Fault("jump", "PATCH /x", seconds=3600.0)))

    with pytest.raises(NotReplayable, match="'jump' cannot be replayed: the clock of the machine"):
        check_is_replayable(plan)


def test_what_can_be_done_has_no_obstacle() -> None:
    assert all(obstacle_to(Fault(deed, "PATCH /x")) == "" for deed in get_args(Deed) if deed in REPLAYABLE)


@pytest.mark.parametrize(
    ("code", "expected"), [(409, "F10 F11"), (410, "F12"), (429, "F14"), (500, "F15"), (403, "F31")]
)
def test_an_answer_belongs_to_the_class_of_its_code(code: int, expected: str) -> None:
    assert class_of(Fault("answer", "GET /x", code=code)) == expected
