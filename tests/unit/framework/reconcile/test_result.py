"""What a reconciler may answer."""

import math

import pytest

from framework.reconcile import Result


def test_the_default_answer_awaits_a_change() -> None:
    assert Result() == Result.await_change()
    assert (Result().requeue_after_seconds, Result().requeue, Result().priority) == (None, False, None)


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -math.inf])
def test_a_time_that_never_comes_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="await_change"):
        Result.after(seconds)
