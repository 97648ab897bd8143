"""A controller with children, a finalizer and conditions may die at any write, and loses nothing."""

from collections.abc import Callable
from typing import Any

from apis.meta import Key, Request
from framework.apply import OwnedChildren
from framework.conditions import observed_condition, patch_conditions
from framework.errors import Conflict
from framework.finalizers import Finalizer, with_finalizer
from framework.reconcile import Result
from tests.component.apply.stage import (
    CONFIG_MAP,
    DEPLOYMENT,
    MANAGER,
    NAMESPACE,
    Cache,
    Crash,
    Stage,
    Widget,
    Writes,
    config_map,
    deployment,
)

KEY = Key(NAMESPACE, "w")
LONGEST = 50


class Process:
    """One process: what it knows is gone when it ends."""

    def __init__(self, stage: Stage, cloud: set[str], writes: Writes) -> None:
        self._stage = stage
        self._cloud = cloud
        self._writes = writes
        self._client = stage.client.acting_as(MANAGER, writes)
        self._widgets = Cache(self._client, Widget)
        self._caches: list[Cache[Any]] = [Cache(self._client, CONFIG_MAP), Cache(self._client, DEPLOYMENT)]
        self._children = OwnedChildren(self._client, Widget, self._caches)
        finalizer = Finalizer(self._client, Widget, "test.windlass.dev/cloud")
        self._reconciler = with_finalizer(finalizer, self._widgets.lister, apply=self._apply, cleanup=self._cleanup)

    def run_until_settled(self) -> None:
        for _ in range(LONGEST):
            before = len(self._writes.made)
            for cache in (self._widgets, *self._caches):
                cache.refresh()
            try:
                self._reconciler.reconcile(Request(KEY))
            except Conflict:
                continue
            self._stage.settle()
            if len(self._writes.made) == before:
                return
        raise AssertionError(f"does not settle: {self._writes.made}")

    def _apply(self, widget: Widget) -> Result:
        if widget.metadata.uid not in self._cloud:
            self._writes.step("make in the cloud")
            self._cloud.add(widget.metadata.uid)
        desired = [config_map(name, text=text) for name, text in widget.spec.texts.items()]
        self._children.converge(widget, [*desired, deployment("web", f"nginx:{len(desired)}")])
        ready = observed_condition(widget, "Ready", "True", reason="Made", now=self._stage.server.clock.now())
        patch_conditions(self._client, widget, widget.status.conditions, ready)
        return Result.await_change()

    def _cleanup(self, widget: Widget) -> Result | None:
        if widget.metadata.uid in self._cloud:
            self._writes.step("delete in the cloud")
            self._cloud.remove(widget.metadata.uid)
        return None


def create(stage: Stage) -> None:
    stage.widget("w", a="1", b="2")


def change(stage: Stage) -> None:
    stage.client.merge_patch(Widget, KEY, {"spec": {"texts": {"a": None, "b": "3", "c": "4"}}})


def drift(stage: Stage) -> None:
    stage.client.merge_patch(DEPLOYMENT, Key(NAMESPACE, "web"), {"spec": {"replicas": 9}})
    stage.client.delete(CONFIG_MAP, Key(NAMESPACE, "b"))


def delete(stage: Stage) -> None:
    stage.client.delete(Widget, KEY)


def run(crash_at: int | None, steps: list[Callable[[Stage], None]]) -> tuple[dict[str, Any], set[str], list[str]]:
    """The life of one widget up to the last of *steps*, which a crash disturbs."""
    stage, cloud = Stage(), set[str]()
    for step in steps[:-1]:
        step(stage)
        Process(stage, cloud, Writes()).run_until_settled()
    steps[-1](stage)
    writes = Writes(crash_at)
    try:
        Process(stage, cloud, writes).run_until_settled()
    except Crash:
        Process(stage, cloud, writes).run_until_settled()
    afterwards = Writes()
    Process(stage, cloud, afterwards).run_until_settled()
    assert afterwards.made == [], f"settled after a crash at {crash_at}, yet it writes"
    return stage.state(), {"something" for _ in cloud}, writes.made


def sweep(*steps: Callable[[Stage], None]) -> list[str]:
    """Crash before every write, which is after the one before it; the writes of the run without a crash."""
    state, cloud, writes = run(None, list(steps))
    for crash_at in range(len(writes)):
        crashed_state, crashed_cloud, crashed_writes = run(crash_at, list(steps))
        assert (crashed_state, crashed_cloud) == (state, cloud), f"crash before {writes[crash_at]}"
        assert sorted(crashed_writes) == sorted(writes), f"crash before {writes[crash_at]}: a write too many"
    return writes


def test_a_crash_at_any_write_while_everything_is_made_changes_nothing_in_the_end() -> None:
    writes = sweep(create)

    assert writes == [
        "patch widgets/ w",
        "make in the cloud",
        "patch configmaps/ a",
        "patch configmaps/ b",
        "patch deployments/ web",
        "patch widgets/status w",
    ]


def test_a_crash_at_any_write_while_it_is_changed_changes_nothing_in_the_end() -> None:
    writes = sweep(create, change)

    assert writes == [
        "patch configmaps/ b",
        "patch configmaps/ c",
        "delete configmaps/ a",
        "patch widgets/status w",
    ]


def test_a_crash_at_any_write_while_drift_is_mended_changes_nothing_in_the_end() -> None:
    writes = sweep(create, drift)

    assert writes == ["patch configmaps/ b", "patch deployments/ web"]


def test_a_crash_at_any_write_while_it_goes_away_leaves_nothing_behind() -> None:
    writes = sweep(create, delete)

    state, cloud, _ = run(None, [create, delete])
    assert writes == ["delete in the cloud", "patch widgets/ w"]
    assert (state, cloud) == ({}, set())
