"""Of several PeerPods of one pod only the newest is needed."""

import pytest

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import Key
from framework.conditions import find_condition
from framework.errors import Conflict
from tests.component.peerpod.stage import Stage


def two(stage: Stage, *, seconds_apart: float, second_instance: str = "vm-2") -> None:
    stage.add_settings()
    owner = ("shop", stage.add_pod())
    stage.add("first", "vm-1", owner=owner)
    stage.clock.wait(seconds_apart)
    stage.add("second", second_instance, owner=owner)


def settle(stage: Stage) -> None:
    for _ in range(3):
        for name in ("second", "first"):
            stage.reconcile(name)


@pytest.mark.parametrize("seconds_apart", [2.0, 0.0])
def test_the_older_one_goes_with_its_vm_and_the_newer_stays(stage: Stage, seconds_apart: float) -> None:
    two(stage, seconds_apart=seconds_apart)

    settle(stage)

    assert stage.cloud.ids == ["vm-1"]
    assert stage.find("first") is None
    assert not stage.get("second").metadata.is_being_deleted
    assert [stage.reasons_told(name)[0] for name in ("first", "second")] == ["Superseded", "Superseded"]


def test_two_of_one_second_that_came_in_one_list_both_stay(stage: Stage) -> None:
    two(stage, seconds_apart=0.0)
    stage.restart()

    settle(stage)

    assert not stage.get("first").metadata.is_being_deleted
    assert not stage.get("second").metadata.is_being_deleted


def test_the_vm_of_the_newer_one_runs_on_if_both_name_the_same(stage: Stage) -> None:
    two(stage, seconds_apart=2.0, second_instance="vm-1")

    settle(stage)

    assert stage.find("first") is None
    assert stage.cloud.asked == []


def test_it_is_told_by_a_condition_why_it_goes(stage: Stage) -> None:
    two(stage, seconds_apart=2.0)
    stage.reconcile("second")

    left = stage.get("first")
    told = find_condition(left.status.conditions, "Superseded")
    assert told is not None
    assert (told.status, left.metadata.is_being_deleted) == ("True", True)


def test_one_that_changed_since_it_was_looked_at_is_not_deleted(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    two(stage, seconds_apart=2.0)
    delete = stage.client.delete

    def delete_later(kind: type[PeerPod], key: Key, **conditions: str) -> None:
        stage.client.merge_patch(PeerPod, key, {"metadata": {"labels": {"changed": "yes"}}})
        delete(kind, key, uid=conditions["uid"], resource_version=conditions["resource_version"])

    monkeypatch.setattr(stage.client, "delete", delete_later)

    with pytest.raises(Conflict):
        stage.reconcile("second")

    assert not stage.get("first").metadata.is_being_deleted


def test_pods_of_one_name_with_different_uids_have_no_siblings(stage: Stage) -> None:
    stage.add_settings()
    stage.add("first", "vm-1", owner=("shop", "uid-1"))
    stage.clock.wait(2)
    stage.add("second", "vm-2", owner=("shop", "uid-2"))

    settle(stage)

    assert stage.cloud.asked == []
