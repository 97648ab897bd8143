"""A kind that is not found: what is dropped, and on whose word."""

from typing import Any

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, KubeObject, ResourceType, kind
from framework.client import Kind
from framework.informers import InformerOptions, SharedInformer
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.informers.scripted import (
    Answer,
    FixedRandom,
    ScriptedServer,
    Watch,
    client_of,
    listed,
    obj,
    refused,
)


@kind(group="example.com", version="v1", plural="widgets")
class Widget(KubeObject, frozen=True, kw_only=True):
    pass


UNTYPED = ResourceType(GroupVersionKind("example.com", "v1", "Widget"), "widgets")
BUILT_IN = ResourceType(GroupVersionKind("networking.k8s.io", "v1beta1", "Ingress"), "ingresses")
NOT_FOUND = Answer(404, b"404 page not found\n")


def proof(name: str = "widgets.example.com", resource: str = "customresourcedefinitions") -> Answer:
    details = {"name": name, "group": "apiextensions.k8s.io", "kind": resource}
    status = {"code": 404, "reason": "NotFound", "message": "not found", "details": details}
    return Answer(404, msgspec.json.encode(status))


class Deletions:
    def __init__(self) -> None:
        self.names: list[str] = []

    def on_change(self, change: Any) -> None:
        if change.new is None:
            self.names.append(change.key.name)


class Stage:
    """An informer with two objects, whose watch then ends, and whose next list is answered with 404."""

    def __init__(self, kind: Kind[Any], *answers: Answer | Watch) -> None:
        self.time = VirtualTime()
        self.server = ScriptedServer(self.time)
        self.server.will(listed(9, obj("a", 8), obj("b", 9)), Watch(seconds=5.0), NOT_FOUND, *answers)
        self.informer: SharedInformer[Any] = SharedInformer(
            kind,
            client=client_of(self.server, self.time, FixedRandom()),
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=FixedRandom(),
            options=InformerOptions(use_watch_list=False),
        )
        self.deletions = Deletions()
        self.informer.add_handler(self.deletions)
        self.informer.start()
        self.time.advance(5)

    def stop(self) -> None:
        self.informer.close(timeout=0)


@pytest.mark.parametrize("kind", [Widget, UNTYPED], ids=["typed", "untyped"])
def test_a_definition_that_is_gone_empties_the_cache_and_handlers_hear_of_it(kind: Kind[Any]) -> None:
    stage = Stage(kind, proof())

    assert (stage.informer.size, sorted(stage.deletions.names)) == (0, ["a", "b"])
    problem = stage.informer.problem or ""
    assert problem.startswith("widgets.example.com is not served in version v1; is its definition installed?")
    stage.stop()


def test_a_kind_that_is_defined_again_begins_again() -> None:
    stage = Stage(Widget, proof(), NOT_FOUND, listed(20, obj("a", 19, uid="new")), Watch())

    stage.time.advance(10)

    assert (stage.informer.size, stage.informer.problem) == (1, None)
    stage.stop()


def test_an_empty_cache_needs_no_further_proof() -> None:
    stage = Stage(Widget, proof(), NOT_FOUND, NOT_FOUND, NOT_FOUND, NOT_FOUND)
    asked = len(stage.server.requests)

    stage.time.advance(4.5)

    assert [request.is_watch for request in stage.server.requests[asked:]] == [False, False]
    stage.stop()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(NOT_FOUND, id="a proxy says not found"),
        pytest.param(proof(name="others.example.com"), id="another definition is not there"),
        pytest.param(proof(resource="widgets"), id="something else is not there"),
        pytest.param(Answer(200, obj("widgets.example.com", 5)), id="it is defined, in another version"),
        pytest.param(refused(403, "Forbidden"), id="no right to look"),
    ],
)
def test_without_proof_nothing_is_dropped(answer: Answer) -> None:
    stage = Stage(Widget, answer)

    assert (stage.informer.size, stage.deletions.names) == (2, [])
    assert "is not served in version v1" in (stage.informer.problem or "")
    stage.stop()


@pytest.mark.parametrize("kind", [ConfigMap, BUILT_IN], ids=["typed", "untyped"])
def test_a_kind_of_kubernetes_itself_needs_no_definition_and_is_kept(kind: Kind[Any]) -> None:
    stage = Stage(kind, proof())

    assert stage.informer.size == 2
    stage.stop()
