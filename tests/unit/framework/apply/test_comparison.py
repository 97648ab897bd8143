"""The comparison, where an example says it best; test_comparison of the component tests tries everything else."""

from typing import Any

import pytest

from framework.apply import first_difference

MANAGER = "windlass/test"


def live(fields: dict[str, Any], *, metadata: dict[str, Any] | None = None, **content: Any) -> dict[str, Any]:
    entry = {"manager": MANAGER, "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields}
    return {"metadata": {"name": "x", **(metadata or {}), "managedFields": [entry]}, **content}


def desired(*, metadata: dict[str, Any] | None = None, **content: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Example", "metadata": {"name": "x", **(metadata or {})}, **content}


def difference(wanted: dict[str, Any], found: dict[str, Any]) -> str | None:
    return first_difference(wanted, found, MANAGER)


def test_values_of_others_and_defaults_do_not_count() -> None:
    found = live({"f:spec": {"f:replicas": {}}}, spec={"replicas": 1, "paused": False}, status={"ready": 1})

    assert difference(desired(spec={"replicas": 1}), found) is None


@pytest.mark.parametrize(
    ("wanted", "found"), [(1, 2), (True, 1), (0, False), ("1", 1), ({"a": 1}, {"a": 1, "b": 2}), ([1, 2], [2, 1])]
)
def test_a_value_that_is_owned_as_a_whole_is_compared_as_a_whole(wanted: Any, found: Any) -> None:
    assert difference(desired(spec=wanted), live({"f:spec": {}}, spec=found)) == "spec"
    assert difference(desired(spec=wanted), live({"f:spec": {}}, spec=wanted)) is None


def test_a_number_is_the_same_with_and_without_a_fraction_of_zero() -> None:
    assert difference(desired(spec=1.0), live({"f:spec": {}}, spec=1)) is None


def test_a_field_with_the_right_value_that_we_do_not_own_is_a_difference() -> None:
    found = live({"f:spec": {"f:a": {}}}, spec={"a": 1, "b": 2})

    assert difference(desired(spec={"a": 1, "b": 2}), found) == "spec.b"


def test_a_field_that_we_own_and_do_not_want_is_a_difference() -> None:
    found = live({"f:spec": {"f:a": {}, "f:b": {}}}, spec={"a": 1, "b": 2})

    assert difference(desired(spec={"a": 1}), found) == "spec.b"


def test_an_owned_field_that_somebody_removed_is_a_difference() -> None:
    assert difference(desired(spec={"a": 1}), live({"f:spec": {"f:a": {}}}, spec={})) == "spec.a"


PORTS: dict[str, Any] = {
    'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}},
    'k:{"port":53,"protocol":"UDP"}': {".": {}, "f:port": {}, "f:protocol": {}},
}
LIVE_PORTS = [{"port": 80, "protocol": "TCP"}, {"port": 1, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]
DESIRED_PORTS = [{"port": 80}, {"port": 53, "protocol": "UDP"}]


def test_items_are_found_by_their_keys_also_where_the_server_filled_in_a_part() -> None:
    assert difference(desired(ports=DESIRED_PORTS), live({"f:ports": PORTS}, ports=LIVE_PORTS)) is None


def test_another_order_of_our_items_is_a_difference() -> None:
    found = live({"f:ports": PORTS}, ports=LIVE_PORTS)

    assert difference(desired(ports=DESIRED_PORTS[::-1]), found) == 'ports[{"port":80,"protocol":"TCP"}]'


def test_an_item_more_or_less_is_a_difference() -> None:
    found = live({"f:ports": PORTS}, ports=LIVE_PORTS)

    assert difference(desired(ports=DESIRED_PORTS[:1]), found) == "ports"
    assert difference(desired(ports=[*DESIRED_PORTS, {"port": 1}]), found) == "ports"


def test_an_item_whose_key_could_be_one_of_two_is_a_difference() -> None:
    fields: dict[str, Any] = {
        'k:{"port":53,"protocol":"TCP"}': {"f:port": {}},
        'k:{"port":53,"protocol":"UDP"}': {"f:port": {}},
    }
    found = live({"f:ports": fields}, ports=[{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}])

    assert difference(desired(ports=[{"port": 53}, {"port": 53, "protocol": "UDP"}]), found) == "ports"


def test_a_set_is_compared_by_its_values() -> None:
    found = live({"f:tags": {'v:"a"': {}, 'v:"c"': {}}}, tags=["a", "b", "c"])

    assert difference(desired(tags=["a", "c"]), found) is None
    assert difference(desired(tags=["c", "a"]), found) == 'tags["a"]'
    assert difference(desired(tags=["a"]), found) == "tags"


def test_a_map_where_a_list_was_is_a_difference() -> None:
    assert difference(desired(tags={"a": 1}), live({"f:tags": {'v:"a"': {}}}, tags=["a"])) == "tags"
    assert difference(desired(spec=["a"]), live({"f:spec": {"f:a": {}}}, spec={"a": 1})) == "spec"


def test_fields_that_nobody_owns_are_compared_by_value() -> None:
    found = live({}, metadata={"uid": "1"})

    assert difference(desired(metadata={"uid": "1"}), found) is None
    assert difference(desired(metadata={"uid": "2"}), found) == "metadata.uid"


@pytest.mark.parametrize(
    "entry",
    [
        {"manager": "other", "operation": "Apply", "apiVersion": "v1"},
        {"manager": MANAGER, "operation": "Update", "apiVersion": "v1"},
        {"manager": MANAGER, "operation": "Apply", "apiVersion": "v1", "subresource": "status"},
        {"manager": MANAGER, "operation": "Apply", "apiVersion": "v1beta1"},
    ],
)
def test_only_our_own_applies_of_this_version_to_the_object_itself_count(entry: dict[str, Any]) -> None:
    found = {"metadata": {"name": "x", "managedFields": [{**entry, "fieldsV1": {}}]}}

    assert difference(desired(), found) == f"metadata.managedFields[{MANAGER}]"
