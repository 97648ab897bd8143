"""Random objects of a kind with every sort of list and map, and a server that judges the comparison."""

from typing import Annotated, Any

import msgspec
from hypothesis import HealthCheck, reject, settings
from hypothesis import strategies as st

from apis.meta import (
    LIST_ATOMIC,
    LIST_SET,
    MAP_ATOMIC,
    ApiStruct,
    Key,
    KubeObject,
    Unstructured,
    kind,
    list_map,
    resource_type_of,
    server_default,
)
from framework.apply import first_difference
from framework.client import Client
from framework.errors import Invalid
from tests.component.apply.stage import MANAGER


class Port(ApiStruct, frozen=True, kw_only=True):
    number: int
    protocol: Annotated[str, server_default("TCP")] = "TCP"
    note: str = ""


class Nested(ApiStruct, frozen=True, kw_only=True):
    flag: bool = False
    count: Annotated[int, server_default(1)] = 1


class ThingSpec(ApiStruct, frozen=True, kw_only=True):
    text: str = ""
    nested: Nested | None = None
    plain: dict[str, str] = msgspec.field(default_factory=dict)
    whole: Annotated[dict[str, str], MAP_ATOMIC] = msgspec.field(default_factory=dict)
    ports: Annotated[list[Port], list_map("number", "protocol")] = msgspec.field(default_factory=list)
    tags: Annotated[list[str], LIST_SET] = msgspec.field(default_factory=list)
    steps: Annotated[list[str], LIST_ATOMIC] = msgspec.field(default_factory=list)


@kind(group="test.windlass.dev", version="v1", plural="things")
class Thing(KubeObject, frozen=True, kw_only=True):
    spec: ThingSpec = ThingSpec()


THING = resource_type_of(Thing)
WORDS = st.sampled_from(["a", "b", "c"])
PORTS = st.lists(
    st.fixed_dictionaries({"number": st.integers(1, 3)}, optional={"protocol": st.just("UDP"), "note": WORDS}),
    max_size=3,
    unique_by=lambda port: (port["number"], port.get("protocol", "TCP")),
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "nested": st.fixed_dictionaries({}, optional={"flag": st.booleans(), "count": st.integers(1, 2)}),
    "plain": st.dictionaries(WORDS, WORDS, max_size=2),
    "whole": st.dictionaries(WORDS, WORDS, max_size=2),
    "ports": PORTS,
    "tags": st.lists(WORDS, max_size=3, unique=True),
    "steps": st.lists(WORDS, max_size=3),
}
SPECS = st.fixed_dictionaries({"text": WORDS}, optional=FIELDS)


class Judge:
    """A server that serves things."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace
        self._count = 0

    def next_key(self) -> Key:
        self._count += 1
        return Key(self._namespace, f"thing-{self._count}")

    def apply(self, key: Key, spec: dict[str, Any], manager: str) -> dict[str, Any]:
        client = self._client.acting_as(manager)
        try:
            return content(client.apply(THING, manifest(key, spec)))
        except Invalid:
            # Giving up the last field of a map that is applied empty leaves null, which is no map.
            reject()

    def patch(self, key: Key, spec: dict[str, Any]) -> None:
        self._client.acting_as("editor").merge_patch(THING, key, {"spec": spec})

    def get(self, key: Key) -> dict[str, Any]:
        return content(self._client.get(THING, key))


def manifest(key: Key, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": key.name, "namespace": key.namespace, "labels": {"made-by": "us"}}
    return {"apiVersion": "test.windlass.dev/v1", "kind": "Thing", "metadata": metadata, "spec": spec}


def content(obj: KubeObject) -> dict[str, Any]:
    assert isinstance(obj, Unstructured)
    return obj.content


def has_empty_parts(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return parts is not None and (not parts or any(has_empty_parts(each) for each in parts))


def has_ambiguous_ports(spec: dict[str, Any]) -> bool:
    numbers = [port["number"] for port in spec.get("ports", ())]
    return len(numbers) != len(set(numbers))


ONE_SERVER = settings(deadline=None, suppress_health_check=list(HealthCheck))


def check_soundness(
    judge: Judge,
    before: dict[str, Any],
    applied_by_another: dict[str, Any] | None,
    patched_by_another: dict[str, Any] | None,
    desired: dict[str, Any],
) -> None:
    """What is judged to change nothing changes nothing."""
    key = judge.next_key()
    judge.apply(key, before, MANAGER)
    if applied_by_another is not None:
        judge.apply(key, applied_by_another, "another")
    if patched_by_another is not None:
        judge.patch(key, patched_by_another)
    live = judge.get(key)

    difference = first_difference(manifest(key, desired), live, MANAGER)
    after = judge.apply(key, desired, MANAGER)

    assert difference is not None or after == live


def check_completeness(judge: Judge, spec: dict[str, Any], theirs: dict[str, Any] | None) -> None:
    """What was just applied has no difference."""
    key = judge.next_key()
    if theirs is not None:
        judge.apply(key, theirs, "another")

    live = judge.apply(key, spec, MANAGER)

    difference = first_difference(manifest(key, spec), live, MANAGER)
    assert difference is None or has_empty_parts(spec) or has_ambiguous_ports(spec), difference
