"""Waiting for what a controller does."""

from collections.abc import Callable

from framework.testing.control_plane.waiting import wait_until

LIMIT_SECONDS = 60.0


def eventually(condition: Callable[[], object]) -> None:
    assert wait_until(lambda: bool(condition()), limit_seconds=LIMIT_SECONDS), "not within the limit"
