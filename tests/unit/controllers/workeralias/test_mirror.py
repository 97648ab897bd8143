from typing import Any

from apis.cfworker.workerbundle import WorkerBundle
from apis.meta import resource_type_of
from controllers.workeralias.mirror import handover_to, mirror_of

BUNDLE = resource_type_of(WorkerBundle).gvk
MARK = "api.cf-worker/mirrored"


def an_object(spec: dict[str, Any], **annotations: str) -> dict[str, Any]:
    metadata = {"name": "b", "namespace": "n", "uid": "u", "resourceVersion": "7", "annotations": annotations}
    return {"kind": "WorkerBundle", "metadata": metadata, "spec": spec}


def a_spec(image: str, *workers: str, **others: Any) -> dict[str, Any]:
    rows = [{"workerName": name, "workerNumber": 8080} for name in workers]
    return {"deploymentName": "d", "workers": rows, "podTemplate": {"image": image}, **others}


def test_annotations_of_controllers_and_of_kubectl_are_not_copied() -> None:
    theirs = {
        "lastImage": "i",
        "api.cf-worker/applied-sequence": "9",
        "api.cf-worker/composition": "c",
        "api.cf-worker/version-applied": "u/1",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        MARK: "forged",
    }

    made = mirror_of(an_object(a_spec("i"), **theirs, mine="x"), None, BUNDLE)["metadata"]["annotations"]

    assert set(made) == {"mine", MARK}
    assert made[MARK] != "forged"


def test_uid_version_and_finalizers_of_the_alias_are_not_those_of_the_canonical_object() -> None:
    made = mirror_of(an_object(a_spec("i")), None, BUNDLE)["metadata"]

    assert set(made) == {"name", "namespace", "annotations"}


def test_what_others_wrote_stays_in_the_manifest_and_is_of_the_version_that_was_read() -> None:
    live = an_object(a_spec("built", "built", ingress={"enabled": True}))

    made = mirror_of(an_object(a_spec("mine", "mine")), live, BUNDLE)

    assert made["spec"] == a_spec("built", "built")
    assert made["metadata"]["resourceVersion"] == "7"


def test_values_are_handed_over_once_and_as_a_whole() -> None:
    alias = an_object(a_spec("mine", "mine"))
    mark = mirror_of(alias, None, BUNDLE)["metadata"]["annotations"][MARK]
    built = a_spec("built", "built")

    first, again = handover_to(an_object(built), alias), handover_to(an_object(built, **{MARK: mark}), alias)

    rows = [{"workerName": "mine", "workerNumber": 8080}]
    assert first is not None
    assert first["spec"] == {"workers": rows, "podTemplate": {"image": "mine"}}
    assert first["metadata"] == {"annotations": {MARK: mark}}
    assert again is None


def test_a_change_of_other_fields_hands_nothing_over() -> None:
    before, after = an_object(a_spec("mine")), an_object(a_spec("mine", imageHistoryLimit=3))
    mark = mirror_of(before, None, BUNDLE)["metadata"]["annotations"][MARK]

    assert handover_to(an_object(a_spec("built"), **{MARK: mark}), after) is None
