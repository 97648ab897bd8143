"""Kinds that are not installed, and come and go, while a controller follows them."""

from collections.abc import Callable

import pytest

from framework.errors import CacheBehind
from framework.testing.control_plane.waiting import wait_until
from tests.component.definitions.widgets import LIMIT_SECONDS
from tests.component.laf.following import NOT_INSTALLED, Following


def eventually(condition: Callable[[], bool]) -> None:
    assert wait_until(condition, limit_seconds=LIMIT_SECONDS)


def test_before_anything_has_been_read_nobody_is_told_that_a_kind_is_absent(following: Following) -> None:
    with pytest.raises(CacheBehind):
        following.optional.lister_of(following.widgets.kind)


def test_an_absent_kind_holds_up_nobody(following: Following) -> None:
    following.start()

    eventually(lambda: following.seen == [NOT_INSTALLED])
    assert following.is_ready()


def test_a_kind_that_is_there_from_the_start_is_read_before_the_first_reconcile(following: Following) -> None:
    following.widgets.define()
    following.widgets.create("a", size=1)

    following.start()

    eventually(lambda: len(following.seen) > 0)
    assert following.seen[0] == "a"
    assert following.is_ready()


def test_a_kind_is_followed_when_it_comes_given_up_when_it_goes_and_followed_again(following: Following) -> None:
    following.start()
    eventually(lambda: following.seen[-1:] == [NOT_INSTALLED])

    following.widgets.define()
    eventually(lambda: following.seen[-1:] == [""])
    following.widgets.create("a", size=1)
    eventually(lambda: following.seen[-1:] == ["a"])

    following.widgets.undefine()
    eventually(lambda: following.seen[-1:] == [NOT_INSTALLED])
    eventually(lambda: not following.widgets.is_served())
    assert following.is_ready()

    following.widgets.define()
    following.widgets.create("b", size=1)
    eventually(lambda: following.seen[-1:] == ["b"])
    eventually(following.is_ready)


def test_a_controller_that_ended_follows_nothing_any_more(following: Following) -> None:
    following.start()
    eventually(lambda: following.seen[-1:] == [NOT_INSTALLED])

    assert following.manager.stop_controller("follower")
    following.widgets.define()
    following.widgets.create("a", size=1)

    assert following.seen == [NOT_INSTALLED]
    assert following.is_ready()
