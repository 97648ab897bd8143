"""Caches that keep a part of each object."""

from typing import Any

import msgspec
import pytest

from apis.meta import ApiStruct, KubeObject, kind
from framework.informers import InformerOptions
from framework.store import LAST_APPLIED, drop_managed_fields, keep_declared, keep_fields, transformed

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "a",
        "namespace": "n",
        "resourceVersion": "7",
        "labels": {"app": "web"},
        "annotations": {LAST_APPLIED: "x" * 500, "note": "kept"},
        "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}],
    },
    "spec": {
        "nodeName": "node-1",
        "containers": [{"name": "web", "image": "web:1", "env": []}, {"name": "log", "image": "log:2"}],
        "volumes": [{"name": "data"}] * 20,
    },
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
}
METADATA = {
    "name": "a",
    "namespace": "n",
    "resourceVersion": "7",
    "labels": {"app": "web"},
    "annotations": {"note": "kept"},
}


class SmallSpec(ApiStruct, frozen=True, kw_only=True):
    node_name: str = ""


class Small:
    @kind(group="", version="v1", plural="pods", builtin=True)
    class Pod(KubeObject, frozen=True, kw_only=True):
        spec: SmallSpec = SmallSpec()


@pytest.mark.parametrize(
    ("paths", "kept"),
    [
        ((), {}),
        (("spec.nodeName",), {"spec": {"nodeName": "node-1"}}),
        (("spec.containers.image",), {"spec": {"containers": [{"image": "web:1"}, {"image": "log:2"}]}}),
        (("status", "status.phase"), {"status": POD["status"]}),
        (("status.phase", "status"), {"status": POD["status"]}),
        (("spec.absent.deeper", "nothing"), {"spec": {}}),
        (("spec.nodeName.deeper",), {"spec": {"nodeName": "node-1"}}),
        ((("spec", "nodeName"),), {"spec": {"nodeName": "node-1"}}),
        (("metadata.labels",), {}),
    ],
)
def test_only_the_metadata_and_the_named_fields_are_kept(paths: tuple[Any, ...], kept: dict[str, Any]) -> None:
    assert keep_fields(*paths)(POD) == {"apiVersion": "v1", "kind": "Pod", "metadata": METADATA, **kept}


def test_a_small_struct_keeps_what_it_declares() -> None:
    assert keep_declared(Small.Pod)(POD) == {"metadata": METADATA, "spec": {"nodeName": "node-1"}}


def test_what_is_kept_reads_as_the_whole_would() -> None:
    whole = msgspec.json.encode(POD)

    kept = transformed(whole, keep_declared(Small.Pod))

    read, expected = (msgspec.json.decode(each, type=Small.Pod) for each in (kept, whole))
    assert read.spec == expected.spec
    assert read.metadata.labels == expected.metadata.labels


def test_the_same_projection_is_the_same_cache() -> None:
    one, other = (InformerOptions(transform=keep_fields("spec.nodeName")) for _ in range(2))

    assert one == other
    assert hash(one) == hash(other)
    assert InformerOptions(transform=keep_declared(Small.Pod)) == InformerOptions(transform=keep_declared(Small.Pod))
    assert one != InformerOptions(transform=keep_fields("status"))


def test_a_transform_that_fails_does_not_undo_the_one_before_it(logs: list[Any]) -> None:
    def fail(_: dict[str, Any]) -> dict[str, Any]:
        raise KeyError("x")

    kept = msgspec.json.decode(transformed(msgspec.json.encode(POD), drop_managed_fields, fail))

    assert "managedFields" not in kept["metadata"]
    assert [each["event"] for each in logs] == ["object_not_transformed"]
