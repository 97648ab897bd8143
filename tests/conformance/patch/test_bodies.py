"""What both servers say about bodies that are not JSON, or not YAML."""

import pytest

from framework.apiserver.patch import decode_apply_patch, decode_json, duplicate_fields, duplicate_yaml_keys
from framework.errors import ApiError
from framework.testing.control_plane import ControlPlane
from tests.conformance.patch.real_server import Answer, RealServer

_MALFORMED = [
    b'{"data":{"a":"1",}}',
    b'{"data" 1}',
    b"{data:1}",
    b'{"data":tru}',
    b'{"data":nope}',
    b'{"data":[1 2]}',
    b'{"data":[1,]}',
    b'{"data":1 "b"}',
    b'{"data":',
    b"",
    b"x",
    b"{} {}",
    b'{"data":NaN}',
    b'{"data":1e400}',
    b'{"data":-}',
    b'{"data":-x}',
    b'{"data":"a\nb"}',
    b'{"data":"\\x"}',
    b"\xef\xbb\xbf{}",
    b"{\"data\":'a'}",
    b'{"data":"a',
    b"[" * 20_000,
]
_MALFORMED_YAML = [
    b"a: b: c",
    b"a: *nowhere",
    b'a: "b',
    b"\ta: b",
    b"a: .nan",
    b"a: [b",
    b"a: b\n c: d",
    b"[1]",
    b"a",
]
_TWICE = [
    b'{"data":{"a":"1","a":"2"}}',
    b'{"data":{"a":"1"},"data":{"a":"2"}}',
    b'{"metadata":{"ownerReferences":[{"kind":"a","kind":"b","uid":"1","name":"c","apiVersion":"v1"}]}}',
]


@pytest.fixture(scope="module")
def server(control_plane: ControlPlane) -> RealServer:
    connected = RealServer(control_plane)
    connected.make("/api/v1/namespaces", {"metadata": {"name": "bodies"}})
    connected.make("/api/v1/namespaces/bodies/configmaps", {"metadata": {"name": "it"}, "data": {"a": "1"}})
    return connected


@pytest.mark.parametrize("body", _MALFORMED, ids=lambda body: repr(body[:30]))
def test_malformed_json_is_refused_in_the_same_words(server: RealServer, body: bytes) -> None:
    real = _patch(server, body, "application/merge-patch+json")

    with pytest.raises(ApiError) as refused:
        decode_json(body)

    assert real.status == 400
    assert real.document["message"] == f"error decoding patch: {refused.value.status.message}"


@pytest.mark.parametrize("body", _MALFORMED_YAML, ids=repr)
def test_malformed_yaml_is_refused_too(server: RealServer, body: bytes) -> None:
    real = _patch(server, body, "application/apply-patch+yaml", "&fieldManager=test")

    with pytest.raises(ApiError) as refused:
        decode_apply_patch(body)

    assert real.status == 400
    assert (refused.value.status.reason, refused.value.status.message) == (
        real.document["reason"],
        real.document["message"],
    )


@pytest.mark.parametrize("body", _TWICE, ids=repr)
def test_fields_that_stand_twice_have_the_same_paths(server: RealServer, body: bytes) -> None:
    real = _patch(server, body, "application/merge-patch+json", "&fieldValidation=Warn")

    paths = duplicate_fields(body)

    assert real.warnings == tuple(f'299 - "duplicate field \\"{path}\\""' for path in paths)


def test_yaml_keys_that_stand_twice_are_told_in_the_same_words(server: RealServer) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: it\ndata:\n  a: '1'\n  b: '2'\n  a: '3'\n"
    real = _patch(server, body, "application/apply-patch+yaml", "&fieldManager=test&force=true&fieldValidation=Strict")

    said = duplicate_yaml_keys(body)

    assert real.document["message"] == f"error strict decoding YAML: {said}"


def _patch(server: RealServer, body: bytes, content_type: str, query: str = "") -> Answer:
    path = f"/api/v1/namespaces/bodies/configmaps/it?dryRun=All{query}"
    return server.ask("PATCH", path, body, headers={"Content-Type": content_type})
