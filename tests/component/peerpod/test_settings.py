"""Whose settings are used, and that a VM is looked for where it was made."""

import pytest

from apis.confidentialcontainers.peerpod import SettingsRef
from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, Unstructured
from controllers.peerpod.location import NODES
from controllers.peerpod.provider import Accepted, AuthFailed, Gone, Hints, Outcome, Transient
from tests.component.peerpod.stage import SYSTEM, Stage


def test_the_settings_and_the_place_are_recorded_once(stage: Stage) -> None:
    stage.add_settings(URI="https://user:password@host/")
    stage.add()

    stage.reconcile()
    stage.client.merge_patch(ConfigMap, Key(SYSTEM, "peer-pods-cm"), {"data": {"REGION": "west"}})
    stage.reconcile()

    status = stage.get().status
    ref = SettingsRef(namespace=SYSTEM, config_map_name="peer-pods-cm", secret_name="peer-pods-secret")
    assert (status.settings_ref, status.location) == (ref, {"REGION": "east"})


def test_a_settled_peer_pod_is_not_written_to(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.reconcile()
    version = stage.get().metadata.resource_version

    stage.restart()
    stage.reconcile()

    assert stage.get().metadata.resource_version == version


def test_a_vm_is_deleted_where_it_was_made(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.reconcile()
    stage.client.merge_patch(ConfigMap, Key(SYSTEM, "peer-pods-cm"), {"data": {"REGION": "west"}})
    stage.delete()

    stage.reconcile()

    assert [settings["REGION"] for _, settings in stage.cloud.asked] == ["east"]


def test_the_config_of_the_node_is_the_one_that_is_recorded(stage: Stage) -> None:
    for name in ("a", "b"):
        stage.add_settings(name)
    configs = {name: stage.add_config(name) for name in ("a", "b")}
    labels = {"kata.peerpods.io/config": configs["b"].metadata.uid}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": labels}}
    stage.client.create(Unstructured(content=node), kind=NODES)
    stage.add(owner=("shop", stage.add_pod(node="n1")))

    stage.reconcile()

    ref = stage.get().status.settings_ref
    assert ref is not None
    assert ref.config_map_name == "b-cm"


def test_nothing_is_recorded_if_several_settings_are_possible_or_there_are_none(stage: Stage) -> None:
    stage.add("early")
    stage.reconcile("early")
    for name in ("a", "b"):
        stage.add_settings(name)
        stage.add_config(name)
    stage.add("late")
    stage.reconcile("late")

    assert [stage.get(name).status.settings_ref for name in ("early", "late")] == [None, None]


def two_accounts(stage: Stage) -> None:
    for name in ("old", "young"):
        stage.add_settings(name, key=f"key-of-{name}")
        stage.add_config(name)
        stage.clock.wait(2)
    stage.add()
    stage.delete()


def keys(stage: Stage) -> list[str]:
    return [settings["KEY"] for _, settings in stage.cloud.asked]


def test_of_several_settings_the_oldest_are_tried_first_and_a_success_ends_it(stage: Stage) -> None:
    two_accounts(stage)

    stage.reconcile()

    assert keys(stage) == ["key-of-old"]
    assert stage.find() is None


def test_a_vm_is_gone_only_if_all_settings_say_so(stage: Stage) -> None:
    two_accounts(stage)
    answers: list[Outcome | Exception] = [Gone(), AuthFailed("no")]

    def answer(_id: str, _hints: Hints) -> Outcome:
        one = answers.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    stage.cloud.answer = answer
    stage.reconcile()

    assert (keys(stage), stage.reason()) == (["key-of-old", "key-of-young"], "CredentialsInvalid")
    answers.extend([Gone(), Gone()])
    stage.clock.wait(60)
    stage.reconcile()
    assert stage.find() is None
    assert stage.reasons_told()[-1] == "VMAlreadyGone"


def test_a_failure_of_one_account_does_not_keep_another_from_deleting(stage: Stage) -> None:
    two_accounts(stage)
    stage.cloud.fails_with(AuthFailed("no"))

    stage.reconcile()

    assert stage.find() is None


def test_settings_of_another_cloud_are_not_used(stage: Stage) -> None:
    stage.add_settings("a", CLOUD_PROVIDER="aws")
    stage.add_config("a")
    stage.add_settings()
    stage.add()
    stage.delete()

    stage.reconcile()

    assert stage.cloud.asked[0][1]["CLOUD_PROVIDER"] == "test"


@pytest.mark.parametrize(("clouds", "reason"), [(("test",), ""), (("test", "aws"), "ProviderUnknown")])
def test_without_a_provider_that_of_the_settings_counts_if_there_is_one(
    stage: Stage, clouds: tuple[str, ...], reason: str
) -> None:
    for number, cloud in enumerate(clouds):
        stage.add_settings(f"c{number}", CLOUD_PROVIDER=cloud)
        stage.add_config(f"c{number}")
    stage.add(provider="")
    stage.delete()

    stage.reconcile()

    assert (stage.reason() if stage.find() else "") == reason


def test_missing_settings_are_named(stage: Stage) -> None:
    stage.add()
    stage.delete()

    assert stage.reconcile() == 60.0

    assert stage.reason() == "SettingsMissing"
    assert "ConfigMap peerpods-system/peer-pods-cm" in stage.get().status.last_error


def test_a_secret_that_is_no_text_is_named(stage: Stage) -> None:
    stage.add_settings()
    stage.client.merge_patch(Secret, Key(SYSTEM, "peer-pods-secret"), {"data": {"KEY": "/w=="}})
    stage.add()
    stage.delete()

    stage.reconcile()

    assert (stage.reason(), "KEY" in stage.get().status.last_error) == ("SettingsMissing", True)


def test_credentials_that_were_replaced_during_the_call_are_used_at_once_and_the_old_client_is_closed(
    stage: Stage,
) -> None:
    stage.add_settings(key="old-key")
    stage.add()
    stage.delete()

    def answer(_id: str, _hints: Hints) -> Outcome:
        if keys(stage)[-1] == "old-key":
            stage.client.merge_patch(Secret, Key(SYSTEM, "peer-pods-secret"), {"data": {"KEY": "bmV3LWtleQ=="}})
            raise AuthFailed("the key is old")
        return Accepted()

    stage.cloud.answer = answer
    stage.reconcile()

    assert keys(stage) == ["old-key", "new-key"]
    assert [settings["KEY"] for settings in stage.cloud.closed] == ["old-key"]
    assert stage.find() is None


def test_a_client_is_used_again_and_closed_when_its_credentials_are_replaced(stage: Stage) -> None:
    stage.add_settings(key="old-key")
    for name in ("one", "two", "three"):
        stage.add(name, f"vm-{name}")
        stage.delete(name)
    stage.reconcile("one")
    stage.reconcile("two")
    assert stage.cloud.closed == []

    stage.client.merge_patch(Secret, Key(SYSTEM, "peer-pods-secret"), {"data": {"KEY": "bmV3LWtleQ=="}})
    stage.reconcile("three")

    assert keys(stage) == ["old-key", "old-key", "new-key"]
    assert [settings["KEY"] for settings in stage.cloud.closed] == ["old-key"]


@pytest.mark.parametrize(("did_it_come_while_watching", "seconds_set"), [(True, 3600), (False, -3600)])
def test_a_vm_is_new_for_as_long_as_it_is_even_if_the_clock_is_set(
    stage: Stage, *, did_it_come_while_watching: bool, seconds_set: float
) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    if not did_it_come_while_watching:
        stage.restart()
    ages = []

    def answer(_id: str, hints: Hints) -> Outcome:
        ages.append(hints.peer_pod_age_seconds)
        raise Transient("unknown")

    stage.cloud.answer = answer
    stage.clock.set_by(seconds_set)
    while stage.clock.monotonic() < 60:
        stage.clock.wait(stage.reconcile() or 0.0)

    assert ages[0] < 1
    assert ages[-1] >= 30
