"""The same writes on the real server and through our field manager give the same objects, entries and errors."""

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conformance.managedfields.writes import Things, Write

_FULL: dict[str, Any] = {
    "metadata": {
        "labels": {"a": "1"},
        "annotations": {"n": "x"},
        "finalizers": ["windlass.test/one", "windlass.test/two"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u-1"}],
    },
    "spec": {
        "replicas": 1,
        "ratio": 0.5,
        "isOn": True,
        "size": "10%",
        "when": "2024-01-01T00:00:00Z",
        "set": ["a", "b <c>"],
        "numbers": [10, 9],
        "ports": [
            {"port": 80, "name": "web", "tags": ["x"]},
            {"port": 9, "protocol": "UDP", "note": {"text": "t"}},
            {"port": 12345678, "name": "big"},
        ],
        "atomicList": ["p", "q"],
        "plainList": [{"a": "1"}],
        "texts": {"k": "v"},
        "objects": {"o": {"a": "1", "b": 2}},
        "atomicMap": {"red": 1, "green": 2},
        "free": {"x": 1, "y": {"z": [1, {"a": 1}]}, "e": {}},
        "half": {"known": "k", "unknown": {"a": True}},
        "anything": {"deep": {"er": [1]}},
        "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"t": "1"}}, "spec": {"a": 1}},
        "nested": {"a": "1", "deeper": {"b": "2"}},
    },
    "status": {"phase": "Nobody", "conditions": [{"type": "Ready", "status": "True"}]},
}


def a_name() -> str:
    return f"thing-{uuid.uuid4().hex[:10]}"


def test_a_create_owns_all_that_it_sets_but_status(things: Things) -> None:
    real, ours = things.create(a_name(), _FULL, "creator")

    assert ours == real


def test_an_apply_that_creates_owns_what_it_names(things: Things) -> None:
    real, ours = things.write(a_name(), Write("apply", _FULL, "applier"))

    assert ours == real


@pytest.mark.parametrize(
    "write",
    [
        Write("merge", {"spec": {"replicas": 2}}, "two"),
        Write("merge", {"spec": {"replicas": 2, "texts": {"k": None, "l": "w"}}}, "creator"),
        Write("merge", {"spec": None}, "two"),
        Write("merge", {"metadata": {"labels": {"a": None, "b": "2"}, "finalizers": ["windlass.test/two"]}}, "two"),
        Write("merge", {"spec": {"nested": {"deeper": {}}, "free": {}, "set": [], "ports": []}}, "two"),
        Write("merge", {"spec": {"anything": [1, 2]}}, "two"),
        Write("merge", {"spec": {"anything": 3, "size": 3, "free": {"x": True}}}, "two"),
        Write("merge", {"spec": {"ports": [{"port": 80}, {"port": 81}]}}, "two"),
        Write("merge", {"status": {"phase": "Ready"}}, "two"),
        Write("merge", {"status": {"phase": "Ready"}}, "two", "status"),
        Write("merge", {"spec": {"replicas": 7}, "metadata": {"labels": {"c": "3"}}}, "two", "status"),
        Write("merge", {"metadata": {"managedFields": []}}, "two"),
        Write("merge", {"metadata": {"managedFields": [{}]}}, "two"),
        Write("merge", {"metadata": {"managedFields": []}, "status": {"phase": "x"}}, "two", "status"),
        Write("merge", {"metadata": {"managedFields": [{"operation": "Nonsense"}]}, "spec": {"replicas": 3}}, "two"),
        Write("PUT", {"spec": {"replicas": 1}}, "two"),
        Write("PUT", {}, "two"),
        Write("PUT", _FULL, "two"),
        Write("PUT", {"status": {"phase": "Ready", "conditions": [{"type": "A"}]}}, "two", "status"),
        Write("apply", {"spec": {"replicas": 1}}, "two"),
        Write("apply", {"spec": {"replicas": 2}}, "two"),
        Write("apply", {"spec": {"replicas": 2}}, "two", force=True),
        Write("apply", {"spec": {"replicas": 2, "isOn": False, "set": ["z"], "texts": {"k": "w"}}}, "two"),
        Write("apply", {"spec": {"ports": [{"port": 80, "name": "other"}, {"port": 443, "protocol": "TCP"}]}}, "two"),
        Write("apply", {"spec": {"ports": [{"port": 443}, {"port": 9, "protocol": "UDP"}]}}, "two"),
        Write("apply", {"spec": {"set": ["z", "b <c>", "a"], "numbers": [1, 9]}}, "two"),
        Write("apply", {"spec": {"atomicMap": {"red": 1}, "atomicList": ["x"]}}, "two", force=True),
        Write("apply", {"spec": {"nested": None, "free": None, "set": None}}, "two"),
        Write(
            "apply", {"spec": {"nested": {}, "free": {}, "texts": {}, "set": [], "anything": None}}, "two", force=True
        ),
        Write("apply", {"spec": {"anything": "text"}}, "two", force=True),
        Write("apply", {"status": {"phase": "Ready"}}, "two"),
        Write("apply", {"status": {"phase": "Ready"}}, "two", "status"),
        Write("apply", {"status": {"phase": "Ready"}, "spec": {"replicas": 9}}, "two", "status"),
        Write("apply", {}, "two"),
        Write("apply", {"spec": {"unknown": 1}}, "two"),
        Write("apply", {"spec": {"nested": {"deeper": {"unknown": 1}}}}, "two"),
        Write("apply", {"spec": {"ports": [{"port": 1, "unknown": 1}]}}, "two"),
        Write("apply", {"spec": {"replicas": "many"}}, "two"),
        Write("apply", {"spec": {"replicas": {"a": [1.5, None, "x"]}}}, "two"),
        Write("apply", {"spec": {"isOn": "yes"}}, "two"),
        Write("apply", {"spec": {"texts": {"a": 1}}}, "two"),
        Write("apply", {"spec": {"texts": {"a": {"b": [1, True, "x"]}}}}, "two"),
        Write("apply", {"spec": {"when": {"b": [1, True, "x", None]}}}, "two"),
        Write("apply", {"spec": {"set": {"a": 1}}}, "two"),
        Write("apply", {"spec": {"nested": [1234567, 0.00001]}}, "two"),
        Write("apply", {"spec": {"nested": "text"}}, "two"),
        Write("apply", {"spec": {"set": ["a", "a"]}}, "two"),
        Write("apply", {"spec": {"set": ["q\"'\n\t\x01", "q\"'\n\t\x01"]}}, "two"),
        Write("apply", {"spec": {"numbers": [12345678, 12345678]}}, "two"),
        Write("apply", {"spec": {"set": [{"a": 1}]}}, "two"),
        Write("apply", {"spec": {"set": [None]}}, "two"),
        Write("apply", {"spec": {"set": [["a"]]}}, "two"),
        Write("apply", {"spec": {"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]}}, "two"),
        Write("apply", {"spec": {"ports": [{"port": 12345678, "name": "other"}]}}, "two"),
        Write("apply", {"spec": {"ports": ["text"]}}, "two"),
        Write("apply", {"status": {"conditions": [{"status": "no type"}]}}, "two"),
    ],
    ids=repr,
)
def test_one_write_to_a_full_object(things: Things, write: Write) -> None:
    name = a_name()
    things.create(
        name,
        {key: value for key, value in _FULL.items() if key != "metadata"} | {"metadata": {"labels": {"a": "1"}}},
        "creator",
    )
    things.write(name, Write("merge", {"status": {"phase": "Old"}}, "creator", "status"))

    real, ours = things.write(name, write)

    assert ours == real


_NAMES = st.sampled_from(["a", "b", "c"])
_PORTS = st.fixed_dictionaries(
    {"port": st.sampled_from([1, 9, 10])},
    optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": _NAMES, "tags": st.lists(_NAMES, unique=True)},
)


def _type_of(condition: Any) -> str:
    return str(condition["type"])


def test_an_apply_that_takes_everything_out_of_an_untyped_field_takes_the_field_out(things: Things) -> None:
    name = a_name()
    things.write(name, Write("apply", {"spec": {"anything": {"a": 1}}}, "one"))

    real, ours = things.write(name, Write("apply", {"spec": {"anything": {}}}, "one"))

    assert ours == real
    assert real["spec"] == {}


def _port_key(port: dict[str, Any]) -> tuple[int, str]:
    return port["port"], port.get("protocol", "TCP")


_FREE = st.recursive(
    st.sampled_from([1, 2, True, "a", "b"]),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(_NAMES, inner, max_size=2)),
    max_leaves=4,
)
_SPECS = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.sampled_from([1, 2]),
        "size": st.sampled_from([1, "1"]),
        "set": st.lists(_NAMES, unique=True, max_size=3),
        "numbers": st.lists(st.sampled_from([2, 9, 10]), unique=True, max_size=3),
        "ports": st.lists(_PORTS, unique_by=_port_key, max_size=3),
        "atomicList": st.lists(_NAMES, max_size=2),
        "texts": st.dictionaries(_NAMES, _NAMES, max_size=2),
        "objects": st.dictionaries(_NAMES, st.fixed_dictionaries({}, optional={"a": _NAMES}), max_size=2),
        "atomicMap": st.fixed_dictionaries({}, optional={"red": st.sampled_from([1, 2])}),
        "free": st.dictionaries(_NAMES, _FREE, max_size=2),
        "half": st.dictionaries(st.sampled_from(["known", "other"]), _NAMES, max_size=2),
        "anything": _FREE,
        "nested": st.fixed_dictionaries(
            {}, optional={"a": _NAMES, "deeper": st.fixed_dictionaries({}, optional={"b": _NAMES, "c": _NAMES})}
        ),
    },
)
_STATUSES = st.fixed_dictionaries(
    {},
    optional={
        "phase": _NAMES,
        "conditions": st.lists(
            st.fixed_dictionaries({"type": _NAMES}, optional={"status": _NAMES}),
            unique_by=_type_of,
            max_size=2,
        ),
    },
)
_DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "spec": _SPECS,
        "status": _STATUSES,
        "metadata": st.fixed_dictionaries({}, optional={"labels": st.dictionaries(_NAMES, _NAMES, max_size=2)}),
    },
)
_WRITES = st.builds(
    Write,
    verb=st.sampled_from(["PUT", "merge", "apply", "apply", "apply"]),
    document=_DOCUMENTS,
    manager=st.sampled_from(["one", "two"]),
    subresource=st.sampled_from(["", "", "status"]),
    force=st.booleans(),
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(created=_DOCUMENTS, writes=st.lists(_WRITES, min_size=1, max_size=8))
@pytest.mark.timeout(600)
def test_any_sequence_of_writes(things: Things, created: dict[str, Any], writes: list[Write]) -> None:
    name = a_name()
    real, ours = things.create(name, created, "one")
    assert ours == real

    for write in writes:
        real, ours = things.write(name, write)

        assert ours == real, write
