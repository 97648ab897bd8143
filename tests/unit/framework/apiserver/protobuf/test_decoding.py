"""From protobuf to the object that JSON would have given."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.apiserver.patch import MAXIMUM_VALUES
from framework.apiserver.protobuf import decode_protobuf
from framework.apiserver.protobuf.messages import messages
from framework.errors import ApiError, BadRequest
from tests.unit.framework.apiserver.protobuf.messages import (
    CONFIG_MAP,
    DEFINITION,
    DELETE_OPTIONS,
    LEASE,
    POD,
    SECRET,
    SERVICE,
    Double,
    body,
    sent,
    varint,
)


def decoded(schema: str, *fields: bytes) -> Any:
    return decode_protobuf(body(b"".join(fields)), schema)


def test_apiversion_and_kind_come_from_the_envelope() -> None:
    obj = decode_protobuf(body(sent(1, sent(1, "one")), kind="ConfigMap"), CONFIG_MAP)

    assert obj == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}}


def test_zeros_are_left_out_where_go_leaves_them_out() -> None:
    metadata = sent(1, "one") + sent(2, "") + sent(3, "") + sent(7, 0) + sent(8, b"")

    obj = decoded(CONFIG_MAP, sent(1, metadata))

    assert obj["metadata"] == {"name": "one"}


def test_zeros_are_there_where_go_writes_them() -> None:
    obj = decoded(SERVICE, sent(2, sent(1, sent(3, 0))))

    assert obj["spec"]["ports"] == [{"port": 0, "targetPort": 0}]
    assert obj["status"] == {"loadBalancer": {}}


def test_a_pointer_to_zero_is_a_value() -> None:
    obj = decoded(DELETE_OPTIONS, sent(1, 0), sent(3, 0))

    assert (obj["gracePeriodSeconds"], obj["orphanDependents"]) == (0, False)


def test_a_list_that_go_does_not_omit_is_null_without_elements() -> None:
    assert decoded(POD, sent(2, b""))["spec"]["containers"] is None


def test_maps_and_bytes() -> None:
    entries = [sent(1, "a") + sent(2, b"\x00\xff"), sent(1, "b")]

    assert decoded(SECRET, sent(2, *entries))["data"] == {"a": "AP8=", "b": None}


def test_what_has_no_name_in_json_is_part_of_what_is_around_it() -> None:
    volume = sent(1, "v") + sent(2, sent(2, sent(1, "Memory") + sent(2, sent(1, "1Gi"))))

    [found] = decoded(POD, sent(2, sent(1, volume)))["spec"]["volumes"]

    assert found == {"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}


def test_numbers_are_cut_to_their_width_and_keep_their_sign() -> None:
    spec = sent(2, -(2**31)) + sent(5, 2**32 + 7)

    obj = decoded(LEASE, sent(2, spec))

    assert (obj["spec"]["leaseDurationSeconds"], obj["spec"]["leaseTransitions"]) == (-(2**31), 7)


def test_times_have_the_precision_of_their_type() -> None:
    moment = sent(1, 1_704_164_645) + sent(2, 123_456_789)

    obj = decoded(LEASE, sent(1, sent(8, moment)), sent(2, sent(3, moment)))

    assert obj["metadata"]["creationTimestamp"] == "2024-01-02T03:04:05Z"
    assert obj["spec"]["acquireTime"] == "2024-01-02T03:04:05.123456Z"


def test_the_zero_time_of_go_is_none() -> None:
    assert "acquireTime" not in decoded(LEASE, sent(2, b""))["spec"]
    assert decoded(LEASE, sent(2, sent(3, sent(1, -62_135_596_800))))["spec"]["acquireTime"] is None


def test_a_port_is_a_number_or_a_name() -> None:
    ports = [sent(4, sent(1, 0) + sent(2, 8080)), sent(4, sent(1, 1) + sent(3, "http"))]

    found = decoded(SERVICE, sent(2, sent(1, *ports)))["spec"]["ports"]

    assert [port["targetPort"] for port in found] == [8080, "http"]


def test_lists_of_numbers_may_be_packed() -> None:
    groups = sent(4, 1, 2)
    packed = sent(4, varint(3) + varint(4))

    spec = decoded(POD, sent(2, sent(14, groups + packed)))["spec"]

    assert spec["securityContext"]["supplementalGroups"] == [1, 2, 3, 4]


def test_a_schema_holds_json_and_other_schemas() -> None:
    schema = (
        sent(5, "object")
        + sent(8, sent(1, b'{"a": [1, null]}'))
        + sent(9, Double(2.0))
        + sent(24, sent(1, sent(5, "string")))
        + sent(30, sent(1, 1))
        + sent(29, sent(1, "x") + sent(2, sent(5, "integer") + sent(11, Double(0.5))))
    )

    obj = decoded(DEFINITION, sent(2, sent(7, sent(4, sent(1, schema)))))

    assert obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == {
        "type": "object",
        "default": {"a": [1, None]},
        "maximum": 2,
        "items": {"type": "string"},
        "additionalProperties": True,
        "properties": {"x": {"type": "integer", "minimum": 0.5}},
    }


def test_fields_of_newer_clients_are_ignored() -> None:
    assert decoded(CONFIG_MAP, sent(1, sent(1, "one")), sent(999, "x", b"", 5, Double(1.5))) == {
        "apiVersion": "v1",
        "metadata": {"name": "one"},
    }


def test_text_that_is_no_utf_8_is_mended() -> None:
    assert decoded(CONFIG_MAP, sent(1, sent(1, b"a\xff")))["metadata"]["name"] == "a\ufffd"


def _nested_schema(depth: int) -> bytes:
    schema = sent(5, "object")
    for _ in range(depth):
        schema = sent(28, schema)
    return sent(2, sent(7, sent(4, sent(1, schema))))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty data"),
        (b"k8s\0", "empty body"),
        (b"{}", "provided data does not appear to be a protobuf message"),
        (b"k8s\0\x12\xff\x01a", "field 2 is longer than its message"),
        (b"k8s\0\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", "field 2 is longer than its message"),
        (b"k8s\0" + b"\x80" * 11, "a number is too long"),
        (b"k8s\0\x80", "a number has no end"),
        (b"k8s\0\x02\x00", "a field has no number"),
        (b"k8s\0\x0b", "wire type 3 of field 1"),
        (b"k8s\0\x10\x01", "a number stands where bytes should"),
        (body(sent(1, 5)), "a number stands where bytes should"),
        (body(sent(1, sent(7, "x"))), "bytes stand where a number should"),
        (body(sent(1, sent(8, sent(1, 2**62)))), "a time is out of range"),
    ],
)
def test_what_is_no_message_is_a_bad_request(content: bytes, why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        decode_protobuf(content, CONFIG_MAP)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_have_is_refused(value: float) -> None:
    with pytest.raises(BadRequest, match="a number is none"):
        decoded(DEFINITION, sent(2, sent(7, sent(4, sent(1, sent(9, Double(value)))))))


def test_json_inside_that_is_none_is_refused() -> None:
    with pytest.raises(BadRequest):
        decoded(DEFINITION, sent(2, sent(7, sent(4, sent(1, sent(8, sent(1, b"{")))))))


@pytest.mark.parametrize("depth", [70, 10_000])
def test_depth_is_bounded(depth: int) -> None:
    with pytest.raises(BadRequest, match="nested too deeply"):
        decoded(DEFINITION, _nested_schema(depth))


def test_depth_is_bounded_together_with_the_json_inside() -> None:
    schema = sent(8, sent(1, b"[" * 250 + b"]" * 250))
    for _ in range(50):
        schema = sent(28, schema)

    with pytest.raises(BadRequest, match="nested too deeply"):
        decoded(DEFINITION, sent(2, sent(7, sent(4, sent(1, schema)))))


def test_a_few_bytes_do_not_become_more_values_than_any_body_may_have() -> None:
    containers = sent(2, sent(2, b"") * (MAXIMUM_VALUES // 2))

    with pytest.raises(ApiError) as refused:
        decoded(POD, containers)

    assert refused.value.code == 413


_TAGS = st.builds(
    lambda number, wire: varint(number << 3 | wire), st.integers(0, 40), st.sampled_from((0, 1, 2, 2, 2, 5))
)
_PIECES = st.lists(_TAGS | st.binary(max_size=8) | st.integers(0, 300).map(varint), max_size=12).map(b"".join)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(messages())), _PIECES)
def test_no_bytes_make_the_reader_fail(schema: str, content: bytes) -> None:
    with suppress(BadRequest):
        assert isinstance(decode_protobuf(body(content), schema), dict)
