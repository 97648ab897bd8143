"""Which nodes a spec means."""

from typing import Any

import msgspec
import pytest

from apis.core.v1 import Node, Taint
from controllers.peerpodconfig.validation import wishes_of
from tests.unit.controllers.peerpodconfig.made import START, a_node, a_spec

CONTROL_PLANE = Taint(key="node-role.kubernetes.io/control-plane", effect="NoSchedule")


def selects(node: Node, **spec: Any) -> bool:
    return wishes_of(a_spec(**spec)).selection.selects(node)


@pytest.mark.parametrize("label", ["node.kubernetes.io/worker", "node-role.kubernetes.io/worker"])
def test_without_a_selector_workers_are_meant_whatever_the_label_says(label: str) -> None:
    assert selects(a_node(labels={label: "anything"}))
    assert not selects(a_node(labels={"other": ""}))


@pytest.mark.parametrize("spec", [{"labelSelector": {}}, {"nodeSelector": {}}, {"nodeSelector": {"matchLabels": {}}}])
def test_an_empty_selector_means_all(spec: dict[str, Any]) -> None:
    assert selects(a_node(), **spec)


@pytest.mark.parametrize(
    ("operator", "values", "selected"),
    [
        ("In", ["east"], ["east"]),
        ("NotIn", ["east"], ["west", "none"]),
        ("Exists", [], ["east", "west"]),
        ("DoesNotExist", [], ["none"]),
    ],
)
@pytest.mark.parametrize("shape", ["labelSelector", "nodeSelector"])
def test_each_operator_means_what_it_means_everywhere(
    shape: str, operator: str, values: list[str], selected: list[str]
) -> None:
    spec = {shape: {"matchExpressions": [{"key": "zone", "operator": operator, "values": values}]}}
    nodes = [a_node("east", {"zone": "east"}), a_node("west", {"zone": "west"}), a_node("none")]

    assert [node.metadata.name for node in nodes if selects(node, **spec)] == selected


def test_all_shapes_together_must_match() -> None:
    spec = {
        "labelSelector": {"matchLabels": {"a": "1"}},
        "nodeSelector": {"b": "2", "matchLabels": {"c": "3"}},
    }

    assert selects(a_node(labels={"a": "1", "b": "2", "c": "3"}), **spec)
    for missing in ("a", "b", "c"):
        labels = {"a": "1", "b": "2", "c": "3"}
        del labels[missing]
        assert not selects(a_node(labels=labels), **spec)


@pytest.mark.parametrize(
    "toleration",
    [{"key": CONTROL_PLANE.key, "operator": "Exists"}, {"operator": "Exists"}, {"key": CONTROL_PLANE.key}],
)
def test_a_tainted_node_is_selected_by_who_tolerates_that(toleration: dict[str, str]) -> None:
    assert selects(a_node(taints=(CONTROL_PLANE,)), labelSelector={}, tolerations=[toleration])


@pytest.mark.parametrize(
    "tolerations",
    [
        [],
        [{"key": CONTROL_PLANE.key, "operator": "Equal", "value": "x"}],
        [{"key": CONTROL_PLANE.key, "operator": "Exists", "effect": "NoExecute"}],
        [{"key": "other", "operator": "Exists"}],
    ],
)
def test_a_tainted_node_is_not_selected_by_who_tolerates_something_else(tolerations: list[dict[str, str]]) -> None:
    assert not selects(a_node(taints=(CONTROL_PLANE,)), labelSelector={}, tolerations=tolerations)


def test_health_and_wishes_of_the_scheduler_keep_no_node_out() -> None:
    taints = (
        Taint(key="node.kubernetes.io/unreachable", effect="NoExecute"),
        Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule"),
        Taint(key="mine", effect="PreferNoSchedule"),
    )

    assert selects(a_node(taints=taints), labelSelector={})


def test_neither_windows_nor_a_node_that_is_going_counts() -> None:
    going = msgspec.structs.replace(a_node().metadata, deletion_timestamp=START)

    assert selects(a_node(labels={"kubernetes.io/os": "linux"}), labelSelector={})
    assert not selects(a_node(labels={"kubernetes.io/os": "windows"}), labelSelector={})
    assert not selects(Node(metadata=going), labelSelector={})
