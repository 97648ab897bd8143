"""Kinds that are defined, changed and deleted while informers run."""

from typing import Any

from framework.testing.control_plane.waiting import wait_until
from tests.component.definitions.watching import Watching
from tests.component.definitions.widgets import LIMIT_SECONDS


def eventually(condition: Any) -> None:
    assert wait_until(condition, limit_seconds=LIMIT_SECONDS)


def test_an_informer_waits_for_its_kind_and_holds_up_no_other(watching: Watching) -> None:
    informer = watching.start()
    eventually(watching.has_problem)
    others = watching.others_go_on("before")
    had_synced = informer.has_synced

    watching.widgets.define()
    watching.widgets.create("a", size=1)

    eventually(lambda: watching.texts == ["+a"])
    assert (others, had_synced) == (True, False)
    eventually(lambda: informer.problem is None)


def test_an_informer_that_follows_definitions_begins_with_its_kind(watching: Watching) -> None:
    informer = watching.start(follow_definitions=True)
    eventually(watching.has_problem)

    watching.widgets.define()

    eventually(lambda: informer.has_synced)
    eventually(lambda: watching.manager.readiness.report()[0])


def test_a_deleted_definition_empties_the_cache_and_one_with_another_schema_fills_it_again(watching: Watching) -> None:
    watching.widgets.define()
    watching.widgets.create("a", size=1)
    informer = watching.start()
    eventually(lambda: watching.texts == ["+a"])
    uid = watching.uid_of("a")

    watching.widgets.undefine()
    eventually(lambda: watching.texts == ["+a", "-a"])
    eventually(watching.has_problem)
    others = watching.others_go_on("meanwhile")
    watching.widgets.define(fields=("weight",))
    watching.widgets.create("a", weight=2)

    eventually(lambda: watching.texts == ["+a", "-a", "+a"])
    (held,) = informer.lister.list()
    assert (others, held.content["spec"]) == (True, {"weight": 2})
    assert held.metadata.uid != uid
    eventually(lambda: informer.problem is None)


def test_deletions_that_nobody_saw_are_told_when_the_definition_is_gone(watching: Watching) -> None:
    watching.widgets.define()
    watching.widgets.create("a", size=1)
    informer = watching.start()
    eventually(lambda: watching.texts == ["+a"])
    informer.stop()

    watching.widgets.undefine()
    eventually(lambda: not watching.widgets.is_served())
    informer.start()

    eventually(lambda: watching.texts == ["+a", "-a"])
    assert informer.size == 0


def test_a_version_that_is_no_longer_served_keeps_its_objects_for_they_live_on(watching: Watching) -> None:
    watching.widgets.define(served=("v1", "v2"))
    watching.widgets.create("a", size=1)
    informer = watching.start()
    eventually(lambda: watching.texts == ["+a"])

    watching.widgets.define(served=("v2",))
    informer.stop()
    eventually(lambda: not watching.widgets.is_served())
    informer.start()
    eventually(watching.has_problem)
    kept = (informer.size, list(watching.texts))
    watching.widgets.define(served=("v1", "v2"))

    eventually(lambda: informer.problem is None)
    assert kept == (1, ["+a"])
    assert watching.texts == ["+a"]
