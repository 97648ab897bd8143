"""The API server has objects converted by us."""

from typing import Any

import msgspec

from apis.meta import ApiStruct, GroupVersionKind, Key, KubeObject, ObjectMeta, ResourceType, Unstructured, kind
from apis.schema import crd_of
from framework.errors import ApiError
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks.targets import CRD
from tests.component.program import Program
from tests.integration.webhooks.stage import LIMIT_SECONDS, Stage, removed_at_the_end

GROUP = "hooks.windlass.dev"
NAME = f"boxes.{GROUP}"


class OldSpec(ApiStruct, frozen=True, kw_only=True):
    size: int = 0


class NewSpec(ApiStruct, frozen=True, kw_only=True):
    measures: list[int] = msgspec.field(default_factory=list)


def versions() -> tuple[Any, Any]:
    @kind(group=GROUP, version="v1", plural="boxes", storage=False)
    class Box(KubeObject, frozen=True, kw_only=True):
        spec: OldSpec = OldSpec()

    old = Box

    @kind(group=GROUP, version="v2", plural="boxes")
    class Box(KubeObject, frozen=True, kw_only=True):  # type: ignore[no-redef]
        spec: NewSpec = NewSpec()

    return old, Box


V1, V2 = versions()
BOX_V3 = ResourceType(GroupVersionKind(GROUP, "v3", "Box"), "boxes")


def up(box: Any) -> Any:
    return V2(metadata=box.metadata, spec=NewSpec(measures=[box.spec.size]))


def down(box: Any) -> Any:
    if not box.spec.measures:
        raise ValueError("a box without measures")
    return V1(metadata=box.metadata, spec=OldSpec(size=box.spec.measures[0]))


def to_v3(box: Any) -> Unstructured:
    return Unstructured(metadata=box.metadata, content={"spec": {"text": ",".join(map(str, box.spec.measures))}})


def from_v3(box: Unstructured) -> Any:
    text = box.content["spec"].get("text", "")
    return V2(metadata=box.metadata, spec=NewSpec(measures=[int(each) for each in text.split(",") if each]))


def definition() -> dict[str, Any]:
    """v2 is stored; v3 is known to the program as a dict only."""
    crd: dict[str, Any] = msgspec.to_builtins(crd_of(V1, V2))
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    third = {
        "name": "v3",
        "served": True,
        "storage": False,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}},
    }
    crd["spec"]["versions"].append(third)
    return crd


def test_every_version_is_served_from_the_one_that_is_stored(stage: Stage, kubectl: Program) -> None:
    with removed_at_the_end(stage.client, CRD, NAME):
        stage.client.apply(CRD, definition())
        manager = stage.manager()
        manager.webhooks.convert(V1, V2, up, down)
        manager.webhooks.convert(V2, BOX_V3, to_v3, from_v3)
        stage.start(manager)
        box = V1(metadata=ObjectMeta(name="b", namespace=stage.namespace, labels={"l": "1"}), spec=OldSpec(size=7))
        created = until_served(lambda: stage.client.create(box))

        second = stage.client.get(V2, Key(stage.namespace, "b"))
        third: Any = stage.client.get(BOX_V3, Key(stage.namespace, "b"))
        listed = stage.client.list(V1, stage.namespace)

        assert created.spec == OldSpec(size=7)
        assert second.spec == NewSpec(measures=[7])
        assert third.content["spec"] == {"text": "7"}
        assert third.metadata.labels == {"l": "1"}
        assert [each.spec.size for each in listed] == [7]

        kubectl("patch", f"boxes.v3.{GROUP}", "b", "--type=merge", "-p", '{"spec":{"text":"8,9"}}')
        assert stage.client.get(V2, Key(stage.namespace, "b")).spec == NewSpec(measures=[8, 9])

        kubectl("patch", f"boxes.v2.{GROUP}", "b", "--type=merge", "-p", '{"spec":{"measures":[]}}')
        said = kubectl("get", f"boxes.v1.{GROUP}", "b", code=1)
        assert "the conversion to hooks.windlass.dev/v1 failed: ValueError: a box without measures" in said
        stage.client.delete(V2, Key(stage.namespace, "b"))


def until_served(act: Any) -> Any:
    """The API server learns of a definition, and of its conversion, some time after they are stored."""
    results: list[Any] = []

    def attempt() -> bool:
        try:
            results.append(act())
        except ApiError as error:
            results.clear()
            results.append(error)
            return False
        return True

    assert wait_until(attempt, limit_seconds=LIMIT_SECONDS), results
    return results[-1]
