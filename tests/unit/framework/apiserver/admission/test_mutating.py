from typing import Any

import pytest

from framework.apiserver.objects import Object
from framework.errors import ApiError, BadRequest, ServerError
from tests.unit.framework.apiserver.admission.fakes import (
    OLD_WIDGETS,
    FakeCaller,
    a_request,
    a_rule,
    a_webhook,
    admission_with,
    mutating,
    patch,
    sets,
)


def test_webhooks_run_by_the_name_of_their_configuration_then_as_they_stand_in_it() -> None:
    caller = FakeCaller()
    admission = admission_with(
        caller, mutating(a_webhook("third"), name="b"), mutating(a_webhook("first"), a_webhook("second"), name="a")
    )

    admission.mutate(a_request())

    assert caller.names == ["first", "second", "third"]


def test_each_webhook_sees_what_the_ones_before_it_made_and_what_was_defaulted() -> None:
    caller = FakeCaller(one=patch(sets("a", 1)), two=patch(sets("b", 2)))

    obj = admission_with(caller, mutating(a_webhook("one"), a_webhook("two"))).mutate(a_request())

    seen = caller.asked[1][1]["request"]["object"]
    assert (seen["a"], seen["defaulted"]) == (1, True)
    assert obj is not None
    assert (obj["a"], obj["b"]) == (1, 2)


def test_the_object_of_the_request_is_left_alone() -> None:
    request = a_request()
    before = dict(request.object or {})

    admission_with(FakeCaller(one=patch(sets("a", 1))), mutating(a_webhook("one"))).mutate(request)

    assert request.object == before


def test_a_webhook_that_asked_for_it_sees_later_changes_once_more() -> None:
    caller = FakeCaller(two=patch(sets("b", 2)))
    webhooks = [
        a_webhook("one", reinvocationPolicy="IfNeeded"),
        a_webhook("two", reinvocationPolicy="IfNeeded"),
        a_webhook("three"),
    ]

    admission_with(caller, mutating(*webhooks)).mutate(a_request())

    assert caller.names == ["one", "two", "three", "one"]


def test_nobody_is_called_again_when_nothing_changed() -> None:
    caller = FakeCaller(two=patch({"op": "test", "path": "/kind", "value": "ConfigMap"}))

    admission_with(caller, mutating(a_webhook("one", reinvocationPolicy="IfNeeded"), a_webhook("two"))).mutate(
        a_request()
    )

    assert caller.names == ["one", "two"]


def test_a_patch_of_another_version_comes_back_in_that_of_the_request() -> None:
    caller = FakeCaller(one=patch(sets("a", 1)))
    webhook = a_webhook("one", rules=[a_rule(apiVersions=["v2"])])

    obj = admission_with(caller, mutating(webhook)).mutate(a_request(OLD_WIDGETS))

    assert caller.asked[0][1]["request"]["object"]["apiVersion"] == "example.com/v2"
    assert obj is not None
    assert (obj["apiVersion"], obj["a"]) == ("example.com/v1", 1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"allowed": True, "patchType": "JSONPatch"},
            "received invalid webhook response: webhook returned response.patchType but not response.patch",
        ),
        (
            {"allowed": True, "patch": "W10="},
            "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ),
        ({**patch(sets("a", 1)), "patchType": "Foo"}, 'unsupported patch type "Foo"'),
        (
            {**patch(sets("a", 1)), "uid": "x"},
            'received invalid webhook response: expected response.uid="uid-0", got "x"',
        ),
    ],
)
def test_an_answer_that_cannot_be_used_is_a_failure_of_the_webhook(answer: Object, message: str) -> None:
    with pytest.raises(ServerError) as failure:
        admission_with(FakeCaller(one=answer), mutating(a_webhook("one"))).mutate(a_request())

    assert str(failure.value) == f'Internal error occurred: failed calling webhook "one.example.com": {message}'
    ignoring = a_webhook("one", failurePolicy="Ignore")
    assert admission_with(FakeCaller(one=answer), mutating(ignoring)).mutate(a_request()) == a_request().object


def test_a_patch_that_does_not_apply_is_an_error_whatever_the_policy() -> None:
    caller = FakeCaller(one=patch({"op": "remove", "path": "/nope/x"}))

    with pytest.raises(ServerError):
        admission_with(caller, mutating(a_webhook("one", failurePolicy="Ignore"))).mutate(a_request())


def test_a_deletion_cannot_be_patched() -> None:
    caller = FakeCaller(one=patch(sets("a", 1)))
    request = a_request(operation="DELETE", object=None, old_object=a_request().object)

    with pytest.raises(ServerError) as failure:
        admission_with(caller, mutating(a_webhook("one"))).mutate(request)

    assert str(failure.value) == (
        'Internal error occurred: admission webhook "one.example.com" attempted to modify the object, '
        "which is not supported for this operation"
    )


@pytest.mark.parametrize(("effects", "is_refused"), [("None", False), ("NoneOnDryRun", False), ("Some", True)])
def test_a_webhook_with_side_effects_refuses_dry_runs(effects: str, *, is_refused: bool) -> None:
    admission = admission_with(FakeCaller(), mutating(a_webhook("one", sideEffects=effects)))

    def act() -> None:
        admission.mutate(a_request(dry_run=True))

    if not is_refused:
        act()
        return
    with pytest.raises(BadRequest) as refusal:
        act()
    assert str(refusal.value) == 'admission webhook "one.example.com" does not support dry run'


@pytest.mark.parametrize(
    ("status", "code", "reason", "message"),
    [
        (None, 400, "", "without explanation"),
        ({"message": "no no"}, 400, "", "no no"),
        ({"reason": "Teapot", "code": 418}, 418, "Teapot", "Teapot"),
        ({"reason": "Forbidden", "code": 403, "message": "m"}, 403, "Forbidden", "m"),
        ({"code": 200, "status": "Success", "message": "m"}, 400, "", "m"),
    ],
)
def test_a_denial_carries_the_webhooks_status(status: Any, code: int, reason: str, message: str) -> None:
    answer = {"allowed": False, **({"status": status} if status else {})}

    with pytest.raises(ApiError) as denial:
        admission_with(FakeCaller(one=answer), mutating(a_webhook("one"))).mutate(a_request())

    separator = " " if status is None else ": "
    assert (denial.value.code, denial.value.reason) == (code, reason)
    assert str(denial.value) == f'admission webhook "one.example.com" denied the request{separator}{message}'


def test_the_review_tells_everything_about_the_request() -> None:
    caller = FakeCaller()
    request = a_request(operation="UPDATE", subresource="status", old_object={"kind": "ConfigMap", "apiVersion": "v1"})

    admission_with(caller, mutating(a_webhook("one", rules=[a_rule(resources=["*/*"])]))).mutate(request)

    [(_, review)] = caller.asked
    config_map = {"group": "", "version": "v1"}
    assert (review["kind"], review["apiVersion"]) == ("AdmissionReview", "admission.k8s.io/v1")
    assert review["request"] == {
        "uid": "uid-0",
        "kind": {**config_map, "kind": "ConfigMap"},
        "resource": {**config_map, "resource": "configmaps"},
        "requestKind": {**config_map, "kind": "ConfigMap"},
        "requestResource": {**config_map, "resource": "configmaps"},
        "subResource": "status",
        "requestSubResource": "status",
        "name": "x",
        "namespace": "ns",
        "operation": "UPDATE",
        "userInfo": {"username": "alice", "groups": ["system:authenticated"]},
        "object": request.object,
        "oldObject": request.old_object,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }


def test_the_first_known_review_version_is_spoken() -> None:
    caller = FakeCaller(one={"allowed": True, "uid": "unchecked"})
    webhook = a_webhook("one", admissionReviewVersions=["v9", "v1beta1", "v1"])

    admission_with(caller, mutating(webhook)).mutate(a_request())

    assert caller.asked[0][1]["apiVersion"] == "admission.k8s.io/v1beta1"


def test_a_subresource_of_another_kind_is_told_as_that_kind() -> None:
    caller = FakeCaller()
    scale = {"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": "x"}}
    webhook = a_webhook("one", rules=[a_rule(apiVersions=["v2"], resources=["widgets/scale"])])

    admission_with(caller, mutating(webhook)).mutate(a_request(OLD_WIDGETS, subresource="scale", object=scale))

    asked = caller.asked[0][1]["request"]
    assert asked["kind"] == asked["requestKind"] == {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert asked["object"] == scale
