"""Versions of a kind: `size` in v1 is `measures` in v2, and `measures.length` in v3."""

from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry

from apis.meta import ApiStruct, GroupVersionKind, KubeObject, ResourceType, Unstructured, kind
from framework.client import Codecs
from framework.clock import SystemClock
from framework.errors import BadRequest, ConfigurationError
from framework.webhooks.conversion import ConversionHook
from framework.webhooks.metrics import WebhookMetrics

GROUP = "shop.example.com"
V3 = ResourceType(GroupVersionKind(GROUP, "v3", "Box"), "boxes")


class OldSpec(ApiStruct, frozen=True, kw_only=True):
    size: int


class NewSpec(ApiStruct, frozen=True, kw_only=True):
    measures: list[int]


@kind(group=GROUP, version="v1", plural="boxes", storage=False)
class Box(KubeObject, frozen=True, kw_only=True):
    spec: OldSpec


BoxV1 = Box


@kind(group=GROUP, version="v2", plural="boxes")
class Box(KubeObject, frozen=True, kw_only=True):  # type: ignore[no-redef]
    spec: NewSpec


BoxV2: Any = Box


def up(box: Any) -> Any:
    metadata = msgspec.structs.replace(box.metadata, annotations={"was": "v1"})
    return BoxV2(metadata=metadata, spec=NewSpec(measures=[box.spec.size]))


def down(box: Any) -> Any:
    metadata = msgspec.structs.replace(box.metadata, annotations={})
    return BoxV1(metadata=metadata, spec=OldSpec(size=box.spec.measures[0]))


def to_v3(box: Any) -> Unstructured:
    return Unstructured(metadata=box.metadata, content={"spec": {"measures": {"length": box.spec.measures[0]}}})


def from_v3(box: Unstructured) -> Any:
    return BoxV2(metadata=box.metadata, spec=NewSpec(measures=[box.content["spec"]["measures"]["length"]]))


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def metrics(registry: CollectorRegistry) -> WebhookMetrics:
    return WebhookMetrics(registry, SystemClock())


@pytest.fixture
def hook() -> ConversionHook:
    codecs, hook = Codecs(), ConversionHook()
    for one, other, function in ((BoxV1, BoxV2, up), (BoxV2, BoxV1, down), (BoxV2, V3, to_v3), (V3, BoxV2, from_v3)):
        source: Any = codecs.of(one)
        target: Any = codecs.of(other)
        hook.add(source, target, function)
    return hook


def ask(hook: ConversionHook, metrics: WebhookMetrics, version: str, *objects: Any) -> Any:
    request = {"uid": "7", "desiredAPIVersion": f"{GROUP}/{version}", "objects": objects}
    review = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}
    answer = msgspec.json.decode(hook.answer(msgspec.json.encode(review), metrics))
    assert (answer["apiVersion"], answer["kind"], answer["response"]["uid"]) == (*list(review.values())[:2], "7")
    return answer["response"]


def a_box(version: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": "b", "uid": "u", "managedFields": [{"manager": "kubectl"}]}
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Box", "metadata": metadata, "spec": spec}


def test_objects_are_converted_and_keep_their_metadata(hook: ConversionHook, metrics: WebhookMetrics) -> None:
    response = ask(hook, metrics, "v2", a_box("v1", size=3), a_box("v2", measures=[1]))

    first, second = response["convertedObjects"]
    assert response["result"] == {"status": "Success"}
    assert (first["apiVersion"], first["kind"], first["spec"]) == (f"{GROUP}/v2", "Box", {"measures": [3]})
    assert first["metadata"] == {**a_box("v1")["metadata"], "annotations": {"was": "v1"}}
    assert second == a_box("v2", measures=[1])


def test_versions_without_a_function_between_them_are_converted_step_by_step(
    hook: ConversionHook, metrics: WebhookMetrics
) -> None:
    forth = ask(hook, metrics, "v3", a_box("v1", size=3))["convertedObjects"][0]
    back = ask(hook, metrics, "v1", forth)["convertedObjects"][0]

    assert (forth["apiVersion"], forth["spec"]) == (f"{GROUP}/v3", {"measures": {"length": 3}})
    assert forth["metadata"]["annotations"] == {"was": "v1"}
    assert (back["spec"], back["metadata"]) == ({"size": 3}, {**a_box("v1")["metadata"], "annotations": {}})


@pytest.mark.parametrize(
    ("version", "size", "why"),
    [
        ("v2", "big", "ValidationError: Expected `int`, got `str` - at `$.spec.size`"),
        ("v9", 1, f"WindlassError: no way is known from Box of {GROUP}/v1 to {GROUP}/v9"),
    ],
)
def test_a_failed_conversion_says_why_in_one_line(
    hook: ConversionHook, metrics: WebhookMetrics, version: str, size: Any, why: str
) -> None:
    response = ask(hook, metrics, version, a_box("v1", size=size))

    message = f"the conversion to {GROUP}/{version} failed: {why}"
    assert response == {"uid": "7", "result": {"status": "Failure", "message": message}}


def test_a_converter_that_breaks_is_counted(
    hook: ConversionHook, metrics: WebhookMetrics, registry: CollectorRegistry
) -> None:
    response = ask(hook, metrics, "v1", a_box("v2", measures=[]))

    assert response["result"]["status"] == "Failure"
    assert response["result"]["message"].endswith("IndexError: list index out of range")
    assert registry.get_sample_value("controller_runtime_conversion_webhook_panics_total") == 1


def test_what_is_no_conversion_review_is_refused(hook: ConversionHook, metrics: WebhookMetrics) -> None:
    with pytest.raises(BadRequest):
        hook.answer(b'{"kind": "AdmissionReview"}', metrics)


def test_kinds_that_are_not_versions_of_one_another_are_refused() -> None:
    other = ResourceType(GroupVersionKind(GROUP, "v1", "Barrel"), "barrels")
    codecs: Any = Codecs()

    with pytest.raises(ConfigurationError):
        ConversionHook().add(codecs.of(BoxV1), codecs.of(other), lambda obj: obj)
