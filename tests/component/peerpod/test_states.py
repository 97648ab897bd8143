"""What becomes of one PeerPod, state by state."""

import pytest

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import Key, ObjectMeta, OwnerReference
from controllers.peerpod.provider import Accepted, Gone, Hints, InProgress, Note, Outcome, Permanent, Transient
from controllers.peerpods.names import PEER_POD_FINALIZER
from framework.log import REDACTED
from tests.component.peerpod.stage import PODS, SECRET_KEY, TENANT, Stage

OTHERS = "example.dev/of-somebody-else"


def test_the_vm_of_a_peer_pod_that_lives_is_never_touched(stage: Stage) -> None:
    stage.add_settings()
    stage.add()

    assert stage.reconcile() is None
    stage.client.merge_patch(PeerPod, Key(TENANT, "one"), {"metadata": {"labels": {"a": "b"}}})
    stage.restart()
    assert stage.reconcile() is None

    assert stage.cloud.asked == []


def test_a_vm_is_deleted_and_then_its_peer_pod_let_go(stage: Stage) -> None:
    stage.add_settings()
    stage.add(finalizers=(OTHERS, PEER_POD_FINALIZER))
    stage.delete()

    stage.reconcile()

    left = stage.get()
    assert stage.cloud.ids == ["vm-1"]
    assert (left.status.cleand, left.metadata.finalizers, stage.reason()) == (True, [OTHERS], "VMDeleted")
    assert stage.reasons_told() == ["VMDeleted"]


def test_the_cloud_is_not_asked_once_the_adaptor_took_the_finalizers_off(stage: Stage) -> None:
    stage.add_settings()
    stage.add(finalizers=(OTHERS, PEER_POD_FINALIZER))
    stage.delete()
    stage.client.merge_patch(PeerPod, Key(TENANT, "one"), {"metadata": {"finalizers": [OTHERS]}})

    assert stage.reconcile() is None

    assert stage.cloud.asked == []


def test_a_finalizer_that_moves_in_the_list_while_the_vm_goes_is_found(stage: Stage) -> None:
    stage.add_settings()
    stage.add(finalizers=(OTHERS, PEER_POD_FINALIZER))
    stage.delete()

    def answer(_id: str, _hints: Hints) -> Outcome:
        stage.client.merge_patch(PeerPod, Key(TENANT, "one"), {"metadata": {"finalizers": [PEER_POD_FINALIZER]}})
        return Accepted()

    stage.cloud.answer = answer
    stage.reconcile()

    assert stage.find() is None


def test_an_object_that_is_gone_meanwhile_is_no_failure(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()

    def answer(_id: str, _hints: Hints) -> Outcome:
        stage.client.merge_patch(PeerPod, Key(TENANT, "one"), {"metadata": {"finalizers": None}})
        return Accepted()

    stage.cloud.answer = answer

    assert stage.reconcile() is None


def test_another_object_of_the_same_name_keeps_its_finalizer(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()

    def answer(_id: str, _hints: Hints) -> Outcome:
        stage.client.merge_patch(PeerPod, Key(TENANT, "one"), {"metadata": {"finalizers": None}})
        stage.add(instance="vm-2")
        return Accepted()

    stage.cloud.answer = answer
    stage.reconcile()

    assert stage.get().metadata.finalizers == [PEER_POD_FINALIZER]


def test_a_vm_that_is_gone_is_told_and_its_peer_pod_let_go(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.answer = lambda _id, _hints: Gone()

    stage.reconcile()

    assert stage.find() is None
    assert stage.reasons_told() == ["VMAlreadyGone"]


def test_what_was_cleaned_before_a_crash_is_let_go_without_asking_the_cloud(stage: Stage) -> None:
    stage.add_settings()
    made = stage.add()
    stage.delete()
    stage.client.merge_patch(PeerPod, made.key, {"status": {"cleand": True}}, subresource="status")

    stage.reconcile()

    assert stage.find() is None
    assert stage.cloud.asked == []


@pytest.mark.parametrize(
    ("instance", "annotations", "told"),
    [
        ("vm-1", {"kata.peerpods.io/skip-vm-deletion": "true"}, "VMDeletionSkipped"),
        ("", {}, "NoInstanceID"),
    ],
)
def test_it_is_let_go_without_asking_the_cloud(
    stage: Stage, instance: str, annotations: dict[str, str], told: str
) -> None:
    stage.add(instance=instance, annotations=annotations)
    stage.delete()

    stage.reconcile()

    assert stage.find() is None
    assert stage.recorder.events == [("one", "Warning", told)]
    assert stage.cloud.asked == []


def test_a_vm_that_another_peer_pod_has_stays(stage: Stage) -> None:
    stage.add_settings()
    stage.add("one", "vm-1")
    stage.add("two", "vm-1")
    stage.delete("one")

    stage.reconcile("one")

    assert stage.find("one") is None
    assert stage.reasons_told("one") == ["InstanceShared"]
    assert stage.cloud.asked == []


def test_a_vm_of_which_all_peer_pods_go_goes(stage: Stage) -> None:
    stage.add_settings()
    stage.add("one", "vm-1")
    stage.add("two", "vm-1")
    stage.delete("one")
    stage.delete("two")

    stage.reconcile("one")
    stage.reconcile("two")

    assert stage.cloud.ids == ["vm-1", "vm-1"]


def test_the_adaptor_has_time_while_the_pod_is_on_its_way_out(stage: Stage) -> None:
    stage.add_settings()
    uid = stage.add_pod()
    stage.client.json_patch(
        PODS, Key(TENANT, "shop"), [{"op": "add", "path": "/metadata/finalizers", "value": [OTHERS]}]
    )
    stage.add(owner=("shop", uid))
    stage.client.delete(PODS, Key(TENANT, "shop"), grace_period_seconds=0)
    stage.delete()

    waited = 0.0
    while stage.cloud.asked == []:
        seconds = stage.reconcile()
        if seconds is not None:
            assert 0 < seconds <= 5.0
            stage.clock.wait(seconds)
            waited += seconds

    assert waited == pytest.approx(60.0, abs=1.1)
    assert stage.find() is None


@pytest.mark.parametrize("does_pod_live", [True, False])
def test_there_is_no_grace_for_a_pod_that_lives_or_is_gone(stage: Stage, *, does_pod_live: bool) -> None:
    stage.add_settings()
    uid = stage.add_pod()
    stage.add(owner=("shop", uid if does_pod_live else "another-uid"))
    stage.delete()

    stage.reconcile()

    assert stage.cloud.ids == ["vm-1"]


def test_the_finalizer_stays_while_the_cloud_is_at_it(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.answer = lambda _id, _hints: InProgress(15.0)

    assert stage.reconcile() == 15.0

    assert (stage.reason(), stage.get().status.attempts, stage.recorder.events) == ("InProgress", 0, [])
    assert stage.reconcile() == 15.0
    assert len(stage.cloud.asked) == 1


def test_people_are_told_when_the_cloud_is_at_it_for_half_an_hour(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.answer = lambda _id, _hints: InProgress(15.0)

    for _ in range(130):
        stage.clock.wait(stage.reconcile() or 0.0)

    assert stage.reasons_told() == ["VMDeletionFailed"]


def test_notes_of_a_provider_become_events(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.answer = lambda _id, _hints: Accepted((Note("VolumeKept", "it is shared"),))

    stage.reconcile()

    assert stage.reasons_told() == ["VolumeKept", "VMDeleted"]


def test_nothing_secret_is_told_of_a_failure(stage: Stage) -> None:
    stage.add_settings(URI="qemu://root:pass%77ord@host/system")
    stage.add()
    stage.delete()
    stage.cloud.always(Transient(f"key {SECRET_KEY} at qemu://root:pass%77ord@host/system was refused"))

    stage.reconcile()

    told = [stage.get().status.last_error, str(stage.get().status.conditions), *stage.recorder.notes]
    assert all(SECRET_KEY not in text and "pass%77ord" not in text and "refused" in text for text in told)


def test_a_failure_of_a_plugin_that_is_none_of_the_known_is_tried_again(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.always(ZeroDivisionError(f"with {SECRET_KEY}"))

    assert stage.reconcile() == 2.0

    assert stage.get().status.last_error == f"ZeroDivisionError: with {REDACTED}"


def test_a_peer_pod_without_spec_and_with_strange_owners_is_no_problem(stage: Stage) -> None:
    stage.add_settings()
    owners = [
        OwnerReference(api_version="v1", kind="ConfigMap", name="a", uid="1", controller=True),
        OwnerReference(api_version="v1", kind="Pod", name="b", uid="2"),
    ]
    metadata = ObjectMeta(name="bare", namespace=TENANT, finalizers=[PEER_POD_FINALIZER], owner_references=owners)
    stage.client.create(PeerPod(metadata=metadata))

    assert stage.reconcile("bare") is None
    stage.delete("bare")
    stage.reconcile("bare")

    assert stage.find("bare") is None
    assert stage.reasons_told("bare") == ["NoInstanceID"]


@pytest.mark.parametrize("provider", ["nimbus", "TEST"])
def test_an_unknown_provider_keeps_the_finalizer_and_is_told_each_half_hour(stage: Stage, provider: str) -> None:
    stage.add_settings()
    stage.add(provider=provider)
    stage.delete()

    for _ in range(6):
        stage.clock.wait(stage.reconcile() or 0.0)

    assert stage.reason() == "ProviderUnknown"
    assert stage.get().metadata.finalizers == [PEER_POD_FINALIZER]
    assert stage.reasons_told() == ["VMDeletionFailed", "VMDeletionFailed"]
    stage.client.merge_patch(
        PeerPod, Key(TENANT, "one"), {"metadata": {"annotations": {"kata.peerpods.io/skip-vm-deletion": "true"}}}
    )
    stage.reconcile()
    assert stage.find() is None


def test_a_malformed_id_is_refused_before_the_cloud_is_asked(stage: Stage) -> None:
    stage.add_settings()
    stage.add(instance="../../other")
    stage.delete()

    assert stage.reconcile() == 600.0

    assert (stage.reason(), stage.cloud.asked) == ("InvalidInstanceID", [])


def test_a_vm_that_is_no_pod_vm_is_told_by_that_name(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.always(Permanent("NotAPodVM", "the VM is called 'prod-db'"))

    stage.reconcile()

    assert (stage.reason(), stage.reasons_told()) == ("NotAPodVM", ["NotAPodVM"])


def test_a_peer_pod_that_is_gone_needs_nothing(stage: Stage) -> None:
    assert stage.reconcile("nobody") is None
