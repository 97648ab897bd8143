"""What becomes of a pod."""

from typing import Any

import pytest

from controllers.podmutator import MutatorOptions, NotAReview, PodMutator
from tests.unit.controllers.podmutator.reviews import (
    GPUS,
    MEMORY,
    ONE_VM,
    VCPUS,
    Json,
    annotations,
    container,
    mutated,
    operations,
    pod,
    response,
    review,
)

_VECTORS: dict[str, tuple[Json, tuple[str | None, str | None, str | None]]] = {
    "limits are larger": (
        pod(container({"cpu": "2", "memory": "4Gi"}, {"cpu": "3", "memory": "5Gi"})),
        ("3", "5120", None),
    ),
    "fractions": (
        pod(container({"cpu": "200m", "memory": "4Gi"}, {"cpu": "1500m", "memory": "4Gi"})),
        ("2", "4096", None),
    ),
    "an init container": (
        pod(
            container({"cpu": "200m", "memory": "4Gi"}, {"cpu": "0.5", "memory": "4Gi"}),
            init=(container({"cpu": "200m", "memory": "4Gi"}, {"cpu": "0.7", "memory": "4Gi"}),),
        ),
        ("2", "8192", None),
    ),
    "all of it": (
        pod(
            container({"cpu": "2", "memory": "4Gi"}, {"cpu": "3", "memory": "5Gi"}),
            container({"cpu": "1", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"}),
            container({"cpu": "1", "nvidia.com/gpu": "1"}, {"cpu": "1", "nvidia.com/gpu": "1"}),
            init=(container({"cpu": "1", "memory": "2Gi"}, {"cpu": "1", "memory": "2Gi"}),),
        ),
        ("6", "8192", "1"),
    ),
    "nothing": (pod(container()), (None, None, None)),
}


@pytest.mark.parametrize(("before", "expected"), _VECTORS.values(), ids=_VECTORS.keys())
def test_needs_become_annotations_and_one_vm(before: Json, expected: tuple[str | None, ...]) -> None:
    after = mutated(before)

    assert annotations(before) == expected
    first, *others = after["spec"]["containers"]
    assert first["resources"] == {"requests": ONE_VM, "limits": ONE_VM}
    assert all(each["resources"] == {} for each in [*others, *after["spec"].get("initContainers", ())])


def test_a_pod_of_another_class_is_allowed_without_a_patch() -> None:
    for runtime_class in ("kata", "kata-remote2", ""):
        found = response(pod(container({"cpu": "1"}), runtime_class=runtime_class))

        assert found == {"uid": "u-1", "allowed": True}


def test_a_pod_without_a_class_is_allowed_without_a_patch() -> None:
    plain = pod(container({"cpu": "1"}))
    del plain["spec"]["runtimeClassName"]

    assert response(plain) == {"uid": "u-1", "allowed": True}


def test_classes_and_resource_can_be_chosen() -> None:
    options = MutatorOptions(("a", "b"), extended_resource="example.com/vm")

    after = mutated(pod(container(), runtime_class="b"), options)

    assert after["spec"]["containers"][0]["resources"]["limits"] == {"example.com/vm": "1"}
    assert operations(pod(container()), options) == []


def test_an_annotation_of_the_user_stays() -> None:
    asked = pod(container({"cpu": "4", "memory": "1Gi"}))
    asked["metadata"]["annotations"] = {VCPUS: "9", "mine": "too"}

    assert mutated(asked)["metadata"]["annotations"] == {VCPUS: "9", "mine": "too", MEMORY: "1024"}


def test_upstream_defect_29_fields_that_nobody_knows_survive() -> None:
    asked = pod(container({"cpu": "1"}, novel={"deep": [1, 2.5, None]}), shiny="yes")
    asked["metadata"]["later"] = {"field": True}
    asked["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]

    after = mutated(asked)

    assert after["spec"]["shiny"] == "yes"
    assert after["metadata"]["later"] == {"field": True}
    assert after["spec"]["containers"][0]["novel"] == {"deep": [1, 2.5, None]}
    assert after["spec"]["containers"][0]["resources"]["claims"] == [{"name": "gpu"}]


def test_upstream_defect_30_what_a_limit_range_fills_in_is_taken_out_again_and_counts_for_nothing() -> None:
    once = mutated(pod(container({"cpu": "4"}, {"cpu": "4"})))
    resources = once["spec"]["containers"][0]["resources"]
    resources["requests"]["cpu"], resources["limits"]["cpu"] = "500m", "1"

    again = mutated(once)

    assert again["metadata"]["annotations"] == {VCPUS: "4"}
    assert again["spec"]["containers"][0]["resources"] == {"requests": ONE_VM, "limits": ONE_VM}


@pytest.mark.parametrize("containers", [[], None])
def test_upstream_defect_31_a_pod_without_containers_is_left_to_the_api_server(containers: Any) -> None:
    empty = pod(init=(container({"cpu": "1"}),))
    empty["spec"]["containers"] = containers

    assert response(empty) == {"uid": "u-1", "allowed": True}


def test_upstream_defect_32_resources_of_the_pod_replace_those_of_containers_and_go() -> None:
    whole = {"requests": {"cpu": "2"}, "limits": {"cpu": "3"}}
    asked = pod(container({"cpu": "8", "memory": "1Gi"}), resources=whole)

    assert annotations(asked) == ("3", "1024", None)
    assert "resources" not in mutated(asked)["spec"]


def test_upstream_defect_34_gpus_are_a_plain_number() -> None:
    for given in ("1k", "1000", "1e3"):
        asked = {"nvidia.com/gpu": given}
        assert mutated(pod(container(asked, asked)))["metadata"]["annotations"] == {GPUS: "1000"}


def test_gpus_that_are_only_limited_count() -> None:
    assert annotations(pod(container(None, {"nvidia.com/gpu": "2"}))) == (None, None, "2")


def test_cpus_are_added_first_and_rounded_then() -> None:
    assert annotations(pod(container({"cpu": "500m"}), container({"cpu": "500m"}))) == ("1", None, None)
    assert annotations(pod(container({"cpu": "1001m"}))) == ("2", None, None)


def test_memory_is_rounded_up_to_mebibytes() -> None:
    assert annotations(pod(container({"memory": "1"}))) == (None, "1", None)
    assert annotations(pod(container({"memory": "1G"}))) == (None, "954", None)


def test_zero_is_no_annotation() -> None:
    assert annotations(pod(container({"cpu": "0"}, {"memory": "0"}))) == (None, None, None)


def test_numbers_count_as_quantities() -> None:
    assert annotations(pod(container({"cpu": 2, "memory": 1048576}))) == ("2", "1", None)


def test_what_is_needed_at_any_one_time_can_be_chosen() -> None:
    asked = pod(
        container({"cpu": "1"}),
        container({"cpu": "1"}),
        init=(
            container({"cpu": "3"}),
            container({"cpu": "1"}, restartPolicy="Always"),
            container({"cpu": "5"}),
        ),
    )

    assert annotations(asked)[0] == "11"
    # Six: the last of the init containers, beside the sidecar that was started before it.
    assert annotations(asked, MutatorOptions(aggregation="effective"))[0] == "6"


@pytest.mark.parametrize("value", ["4 Gi", "lots", "", "-1", None, True, {}, "1e999999999", "9" * 5000])
def test_a_quantity_that_is_none_is_refused_by_its_place(value: Any) -> None:
    asked = pod(container(), container(None, {"memory": value}))

    found = response(asked)

    assert found["allowed"] is False
    assert found["status"]["code"] == 422
    assert found["status"]["message"].startswith("spec.containers[1].resources.limits[memory]: ")


@pytest.mark.parametrize(
    ("field", "broken"),
    [
        ("spec.containers", {"containers": {"a": 1}}),
        ("spec.initContainers[0]", {"initContainers": ["a"]}),
        ("spec.resources", {"resources": []}),
        ("spec.containers[0].resources", {"containers": [{"resources": 1}]}),
        ("spec.containers[0].resources.requests", {"containers": [{"resources": {"requests": "cpu"}}]}),
    ],
)
def test_what_has_the_wrong_shape_is_refused_by_its_place(field: str, broken: Json) -> None:
    asked = pod(container())
    asked["spec"] |= broken

    found = response(asked)

    assert found["status"]["code"] == 422
    assert found["status"]["message"].startswith(f"{field}: ")


def test_metadata_of_the_wrong_shape_is_refused() -> None:
    asked = pod(container({"cpu": "1"}))
    asked["metadata"]["annotations"] = ["a"]

    assert response(asked)["status"]["message"] == "metadata.annotations: is not an object"


def test_a_pod_without_metadata_gets_annotations_all_the_same() -> None:
    asked = pod(container({"cpu": "1"}))
    del asked["metadata"]

    assert mutated(asked)["metadata"] == {"annotations": {VCPUS: "1"}}


def test_another_kind_is_allowed_with_a_warning() -> None:
    kind = {"group": "apps", "version": "v1", "kind": "Deployment"}

    found = response(pod(container()), kind=kind)

    assert found["allowed"] is True
    assert "patch" not in found
    assert "Deployment" in found["warnings"][0]


def test_a_dry_run_is_answered_alike() -> None:
    asked = pod(container({"cpu": "1"}))

    assert response(asked, dryRun=True) == response(asked, dryRun=False)


def test_only_a_pod_that_is_created_is_changed() -> None:
    assert response(pod(container({"cpu": "1"})), operation="UPDATE") == {"uid": "u-1", "allowed": True}
    assert response(pod(container({"cpu": "1"})), operation="DELETE", object=None) == {"uid": "u-1", "allowed": True}


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "request": {"uid": "u"}},
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"},
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": 5}},
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "kind": "Pod"}},
        {"apiVersion": "v1", "kind": "Pod"},
    ],
)
def test_what_is_no_review_is_not_answered(body: Any) -> None:
    with pytest.raises(NotAReview):
        PodMutator().handle(body)


def test_the_review_is_not_changed() -> None:
    asked, same = review(pod(container({"cpu": "1"}))), review(pod(container({"cpu": "1"})))

    PodMutator().handle(asked)

    assert asked == same
