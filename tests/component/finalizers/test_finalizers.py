"""Finalizers on the embedded server."""

import pytest

from apis.meta import Key, Request
from framework.errors import Conflict, NotFound, TerminalError
from framework.finalizers import Finalizer, with_finalizer
from framework.reconcile import Reconciler, Result
from tests.component.apply.stage import MANAGER, NAMESPACE, Cache, Stage, Widget, Writes

NAME = "test.windlass.dev/cleanup"
KEY = Key(NAMESPACE, "w")


class World:
    """A cloud with one thing for each widget, and who keeps it."""

    def __init__(self, stage: Stage) -> None:
        self.writes = Writes()
        self.client = stage.client.acting_as(MANAGER, self.writes)
        self.finalizer = Finalizer(self.client, Widget, NAME)
        self.widgets = Cache(self.client, Widget)
        self.calls: list[str] = []
        self.failure: Exception | None = None
        self.unfinished: Result | None = None

    @property
    def reconciler(self) -> Reconciler:
        return with_finalizer(self.finalizer, self.widgets.lister, apply=self.apply, cleanup=self.cleanup)

    def apply(self, widget: Widget) -> Result:
        self.calls.append("apply")
        assert NAME in widget.metadata.finalizers
        return Result.after(60)

    def cleanup(self, widget: Widget) -> Result | None:
        assert widget.metadata.is_being_deleted
        self.calls.append("cleanup")
        if self.failure is not None:
            raise self.failure
        return self.unfinished

    def reconcile(self, *, fresh: bool = True) -> Result:
        if fresh:
            self.widgets.refresh()
        return self.reconciler.reconcile(Request(KEY))


@pytest.fixture
def world(stage: Stage) -> World:
    return World(stage)


def finalizers(stage: Stage) -> list[str]:
    return stage.client.get(Widget, KEY).metadata.finalizers


def hold(stage: Stage, *names: str) -> None:
    stage.client.merge_patch(Widget, KEY, {"metadata": {"finalizers": list(names)}})


def test_the_finalizer_is_on_before_anything_is_made(stage: Stage, world: World) -> None:
    stage.widget()

    result = world.reconcile()

    assert result == Result.after(60)
    assert finalizers(stage) == [NAME]
    assert world.calls == ["apply"]


def test_nothing_is_made_when_the_finalizer_cannot_be_put_on(stage: Stage, world: World) -> None:
    stage.widget()
    world.widgets.refresh()
    hold(stage, "other.dev/hold")

    with pytest.raises(Conflict):
        world.reconcile(fresh=False)

    assert world.calls == []
    assert finalizers(stage) == ["other.dev/hold"]


def test_a_finalizer_that_is_on_is_not_written_again(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    world.writes.made.clear()

    world.reconcile()

    assert world.writes.made == []


def test_the_object_after_the_write_can_be_written_again(stage: Stage, world: World) -> None:
    ensured = world.finalizer.ensure(stage.widget())

    stage.client.patch_spec(ensured, {"texts": {"a": "1"}})

    assert finalizers(stage) == [NAME]


def test_the_object_goes_after_its_cleanup(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    stage.client.delete(Widget, KEY)

    result = world.reconcile()

    assert result == Result.await_change()
    assert world.calls == ["apply", "cleanup"]
    with pytest.raises(NotFound):
        stage.client.get(Widget, KEY)


def test_the_finalizer_stays_while_the_cleanup_fails(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    stage.client.delete(Widget, KEY)
    world.failure = TimeoutError("the cloud is slow")

    with pytest.raises(TimeoutError):
        world.reconcile()

    assert finalizers(stage) == [NAME]


def test_the_finalizer_stays_while_the_cleanup_is_not_finished(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    stage.client.delete(Widget, KEY)
    world.unfinished = Result.after(5)

    assert world.reconcile() == Result.after(5)
    assert finalizers(stage) == [NAME]


def test_finalizers_of_others_stay_and_nothing_is_made_or_cleaned_up_again(stage: Stage, world: World) -> None:
    stage.widget()
    hold(stage, "first.dev/hold")
    world.reconcile()
    hold(stage, *finalizers(stage), "last.dev/hold")
    stage.client.delete(Widget, KEY)
    world.reconcile()

    world.reconcile()

    assert finalizers(stage) == ["first.dev/hold", "last.dev/hold"]
    assert world.calls == ["apply", "cleanup"]


def test_an_object_that_was_deleted_before_we_saw_it_is_left_alone(stage: Stage, world: World) -> None:
    stage.widget()
    hold(stage, "other.dev/hold")
    stage.client.delete(Widget, KEY)

    world.reconcile()

    assert world.calls == []
    with pytest.raises(TerminalError, match=r"is being deleted, finalizer .* comes too late"):
        world.finalizer.ensure(stage.client.get(Widget, KEY))


def test_an_object_that_is_not_there_needs_nothing(world: World) -> None:
    assert world.reconcile() == Result.await_change()
    assert world.calls == []


def test_a_change_during_the_cleanup_is_a_conflict_and_loses_nothing(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    stage.client.delete(Widget, KEY)
    world.widgets.refresh()
    stage.client.merge_patch(Widget, KEY, {"spec": {"texts": {"a": "1"}}})

    with pytest.raises(Conflict):
        world.reconcile(fresh=False)
    assert finalizers(stage) == [NAME]
    world.reconcile()

    with pytest.raises(NotFound):
        stage.client.get(Widget, KEY)


def test_what_is_gone_is_finished(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    stage.client.delete(Widget, KEY)
    going = stage.client.get(Widget, KEY)
    hold(stage)

    world.finalizer.finish(going)

    assert stage.client.list(Widget) == []


def test_a_namesake_that_came_after_keeps_its_finalizer(stage: Stage, world: World) -> None:
    stage.widget()
    world.reconcile()
    stage.client.delete(Widget, KEY)
    going = stage.client.get(Widget, KEY)
    hold(stage)
    stage.widget()
    world.reconcile()

    with pytest.raises(Conflict):
        world.finalizer.finish(going)

    assert finalizers(stage) == [NAME]


def test_cleanup_is_needed_only_while_the_object_goes_with_the_finalizer_on(stage: Stage, world: World) -> None:
    bare = stage.widget()
    ensured = world.finalizer.ensure(bare)
    stage.client.delete(Widget, KEY)

    needs = [world.finalizer.needs_cleanup(each) for each in (bare, ensured, stage.client.get(Widget, KEY))]

    assert needs == [False, False, True]
