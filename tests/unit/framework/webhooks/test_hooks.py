"""Reviews and their answers."""

import base64
from typing import Any

import msgspec
import pytest

from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from framework.errors import BadRequest, ConfigurationError, DeadlineExceeded, StatusCause, WindlassError
from framework.webhooks import AdmissionRequest, Denied
from framework.webhooks.hooks import admission_path
from tests.unit.framework.webhooks.widgets import GROUP, Asked, Part, Widget, a_review, a_widget

WIDGETS = ResourceType(GroupVersionKind(GROUP, "v1", "Widget"), "widgets")


def patch_of(response: dict[str, Any]) -> Any:
    assert response["patchType"] == "JSONPatch"
    return msgspec.json.decode(base64.b64decode(response["patch"]))


def test_a_handler_gets_the_request_in_its_own_terms() -> None:
    seen: list[Any] = []

    def look(request: AdmissionRequest[Widget]) -> None:
        assert request.old is not None
        assert request.new is not None
        seen.extend([request.old.spec.size, request.new.spec.size, request.object.spec.size])
        seen.extend([request.operation, request.user.username, request.user.groups, request.dry_run, request.key])
        seen.extend([request.options, request.subresource, request.requested_kind.version])

    review = a_review(a_widget(size=2), a_widget(size=1), operation="UPDATE", dryRun=True)
    review["request"]["requestKind"] = {"group": GROUP, "version": "v2", "kind": "Widget"}
    response = Asked("validate", look).answer(review)

    assert response == {"uid": "42", "allowed": True}
    assert seen[:3] == [1, 2, 2]
    assert seen[3:8] == ["UPDATE", "alice", ["devs"], True, Key("default", "w")]
    assert seen[8:] == [{"kind": "CreateOptions"}, "", "v2"]


def test_of_a_deletion_the_old_object_is_the_object() -> None:
    seen: list[Any] = []

    response = Asked("validate", lambda r: seen.extend([r.new, r.object.spec.size])).answer(
        a_review(None, a_widget(size=7), operation="DELETE")
    )

    assert response["allowed"]
    assert seen == [None, 7]


def test_a_denial_has_message_code_reason_and_causes() -> None:
    def refuse(_: AdmissionRequest[Widget]) -> None:
        cause = StatusCause(reason="FieldValueInvalid", message="too big", field="spec.size")
        raise Denied("spec.size is too big", code=422, reason="Invalid", causes=[cause])

    response = Asked("validate", refuse).answer(a_review(a_widget()))

    assert response["allowed"] is False
    assert response["status"] == {
        "code": 422,
        "reason": "Invalid",
        "message": "spec.size is too big",
        "details": {"causes": [{"reason": "FieldValueInvalid", "message": "too big", "field": "spec.size"}]},
    }


def test_a_denial_is_forbidden_unless_it_says_otherwise() -> None:
    def refuse(_: AdmissionRequest[Widget]) -> None:
        raise Denied("no")

    response = Asked("validate", refuse).answer(a_review(a_widget()))

    assert response["status"] == {"code": 403, "reason": "Forbidden", "message": "no"}


@pytest.mark.parametrize("ending", [None, Denied("no")])
def test_warnings_and_audit_annotations_are_told_whatever_the_verdict(ending: Exception | None) -> None:
    def warn(request: AdmissionRequest[Widget]) -> None:
        request.warn("spec.size is\ndeprecated")
        request.audit("size", "1")
        if ending:
            raise ending

    response = Asked("validate", warn).answer(a_review(a_widget()))

    assert response["warnings"] == ["spec.size is deprecated"]
    assert response["auditAnnotations"] == {"size": "1"}


@pytest.mark.parametrize(
    ("error", "code", "reason", "panics"),
    [
        (ValueError("two\nlines, password=hunter2hunter2"), 500, "InternalError", 1.0),
        (WindlassError("the API server is away"), 500, "InternalError", 0.0),
        (DeadlineExceeded("too late"), 504, "Timeout", 0.0),
        (RecursionError("deep"), 500, "InternalError", 1.0),
        (SystemExit(3), 500, "InternalError", 1.0),
    ],
)
def test_what_a_handler_raises_becomes_one_line(error: BaseException, code: int, reason: str, panics: float) -> None:
    def fail(_: AdmissionRequest[Widget]) -> None:
        raise error

    asked = Asked("validate", fail)
    response = asked.answer(a_review(a_widget()))

    assert response["allowed"] is False
    assert (response["status"]["code"], response["status"]["reason"]) == (code, reason)
    message = response["status"]["message"]
    assert message.startswith(f"the webhook /validate-shop-example-com-v1-widget failed: {type(error).__name__}: ")
    assert "\n" not in message
    assert "hunter2" not in message
    assert asked.registry.get_sample_value("controller_runtime_webhook_panics_total") == panics


def test_an_object_that_does_not_fit_its_type_is_refused_with_the_place() -> None:
    response = Asked("validate", lambda r: r.object).answer(a_review(a_widget(size="big")))

    assert response["status"]["code"] == 400
    assert (
        response["status"]["message"] == "Widget w does not fit its type: Expected `int`, got `str` - at `$.spec.size`"
    )


@pytest.mark.parametrize("of", [Widget, WIDGETS])
def test_what_is_no_object_at_all_is_refused(of: Any) -> None:
    review = a_review(a_widget(), object=[1])

    response = Asked("mutate", lambda request: request.object, of=of).answer(review)

    assert response["status"]["message"] == "Widget w does not fit its type: it is no object"


def test_an_old_object_that_does_not_fit_its_type_can_still_be_mended() -> None:
    response = Asked("validate", lambda r: r.new).answer(a_review(a_widget(size=1), a_widget(size="big")))

    assert response["allowed"]


def test_a_mutation_keeps_what_the_type_does_not_know() -> None:
    def paint(request: AdmissionRequest[Widget]) -> Widget:
        assert request.new is not None
        spec = msgspec.structs.replace(request.new.spec, colour="red", parts=[Part(name="a", size=2)])
        return msgspec.structs.replace(request.new, spec=spec)

    response = Asked("mutate", paint).answer(a_review(a_widget(sauce="?", parts=[{"name": "a", "x": 1}])))

    assert patch_of(response) == [
        {"op": "add", "path": "/spec/parts/0/size", "value": 2},
        {"op": "add", "path": "/spec/colour", "value": "red"},
    ]


@pytest.mark.parametrize("mutator", [lambda _: None, lambda request: request.new])
def test_a_mutator_that_changes_nothing_sends_no_patch(mutator: Any) -> None:
    assert Asked("mutate", mutator).answer(a_review(a_widget(sauce="?"))) == {"uid": "42", "allowed": True}


def test_a_mutator_of_an_untyped_object_may_change_it_in_place() -> None:
    def paint(request: AdmissionRequest[Unstructured]) -> None:
        request.object.content["spec"]["colour"] = "red"

    response = Asked("mutate", paint, of=WIDGETS).answer(a_review(a_widget(sauce="?")))

    assert patch_of(response) == [{"op": "add", "path": "/spec/colour", "value": "red"}]


def test_a_mutator_may_deny() -> None:
    def refuse(_: AdmissionRequest[Widget]) -> Widget:
        raise Denied("no")

    response = Asked("mutate", refuse).answer(a_review(a_widget()))

    assert (response["allowed"], "patch" in response) == (False, False)


@pytest.mark.parametrize(
    ("review", "why"),
    [
        ({}, "expected AdmissionReview of admission.k8s.io/v1, got '' of ''"),
        ({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}, "the AdmissionReview has no request"),
        (
            {**a_review(a_widget()), "apiVersion": "admission.k8s.io/v1beta1"},
            "expected AdmissionReview of admission.k8s.io/v1, got 'AdmissionReview' of 'admission.k8s.io/v1beta1'",
        ),
        (
            a_review(a_widget(), kind={"group": "apps", "version": "v1", "kind": "Deployment"}),
            "/validate-shop-example-com-v1-widget is for Widget of shop.example.com/v1, not for apps/v1/Deployment",
        ),
        ({"request": 3}, "the body is no review: Expected `object | null`, got `int` - at `$.request`"),
    ],
)
def test_what_is_no_review_of_the_kind_is_refused(review: Any, why: str) -> None:
    with pytest.raises(BadRequest) as refused:
        Asked("validate", lambda _: None).answer(review)

    assert str(refused.value) == why


def test_paths_are_those_of_controller_runtime() -> None:
    config_maps = ResourceType(GroupVersionKind("", "v1", "ConfigMap"), "configmaps")

    assert admission_path("mutate", WIDGETS) == "/mutate-shop-example-com-v1-widget"
    assert admission_path("validate", config_maps) == "/validate--v1-configmap"


def test_a_mutator_of_deletions_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        Asked("mutate", lambda _: None, operations=("CREATE", "DELETE"))
