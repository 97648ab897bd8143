"""Requests that once made the server fail, each found by the fuzz tests: the answer that they have now."""

import json
from typing import Any

import pytest

from framework.apiserver import server as server_module
from framework.apiserver.server import ADMIN
from framework.http.exchange import ServerRequest
from tests.conformance.kinds import DEFINITIONS as KINDS
from tests.conformance.kinds import GROUP, config_maps, gadgets, pods, widget, widgets
from tests.unit.framework.apiserver.asking import CONFIG_MAPS, DEFINITIONS, Asked

JOBS = "/apis/batch/v1/namespaces/default/jobs"
MERGE, JSON_PATCH, APPLY = "application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml"
_POD = {"metadata": {"name": "one"}, "spec": {"nodeName": "n", "containers": [{"name": "a", "image": "b"}]}}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    monkeypatch.setattr(server_module, "report_bug", _fail)
    asked = Asked()
    for definition in KINDS:
        asked.create(DEFINITIONS, definition)
    asked.create(widgets("default"), widget("one", replicas=1))
    asked.config_map("one")
    return asked


def _fail(what: str, error: BaseException, **context: object) -> None:
    raise AssertionError(f"{what}: {context}") from error


@pytest.mark.parametrize("limit", ["9" * 30, str(2**63 - 1)])
def test_a_limit_beyond_what_a_machine_can_count(asked: Asked, limit: str) -> None:
    assert asked("GET", f"{CONFIG_MAPS}?limit={limit}").status in {200, 400}


def test_a_version_of_thousands_of_digits_in_an_object(asked: Asked) -> None:
    version = {"metadata": {"name": "one", "resourceVersion": "9" * 5000}}

    assert asked("PUT", f"{CONFIG_MAPS}/one", version).said[1].endswith("value out of range")
    assert asked("POST", CONFIG_MAPS, {"metadata": {**version["metadata"], "name": "two"}}).status == 201


@pytest.mark.parametrize(
    ("target", "obj"), [("/api/v1/namespaces", {}), (JOBS, {"spec": {"completionMode": "Indexed"}})]
)
def test_a_new_object_without_a_name(asked: Asked, target: str, obj: Any) -> None:
    assert asked("POST", target, obj).status == 422


def test_an_apply_of_an_object_whose_metadata_are_null(asked: Asked) -> None:
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Gadget", "metadata": None}

    reply = asked("PATCH", f"{gadgets('one')}?fieldManager=a", body, content_type=APPLY)

    assert reply.said == (
        400,
        "the name of the object (one based on URL) was undeterminable: name must be provided",
    )


@pytest.mark.parametrize("operation", ["test", "add", "remove", "copy", "move"])
def test_a_json_patch_of_something_inside_of_what_it_made_a_number(asked: Asked, operation: str) -> None:
    operations = [
        {"op": "replace", "path": "", "value": 5},
        {"op": operation, "path": "/a/b", "from": "/a", "value": 1},
    ]

    assert asked("PATCH", f"{CONFIG_MAPS}/one", operations, content_type=JSON_PATCH).status == 422


@pytest.mark.parametrize(
    "scale", [{"metadata": "x"}, {"spec": None}, {"spec": 5}, [], {"metadata": {"name": "one"}, "spec": None}]
)
def test_a_scale_that_is_none(asked: Asked, scale: Any) -> None:
    assert asked("PUT", widgets("default", "one", "scale"), scale).status in {200, 400}


def test_a_scale_whose_metadata_a_patch_takes_away(asked: Asked) -> None:
    operations = [{"op": "replace", "path": "/metadata", "value": "x"}]

    assert asked("PATCH", widgets("default", "one", "scale"), operations, content_type=JSON_PATCH).status == 422


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ({"labels": {"a": None}}, 201),
        ({"annotations": {"a": None}}, 201),
        ({"finalizers": [None]}, 422),
        ({"ownerReferences": [None]}, 422),
        ({"managedFields": [None]}, 201),
        ({"managedFields": [{"fieldsV1": 5}]}, 201),
    ],
)
def test_nulls_inside_the_metadata_of_a_custom_resource(asked: Asked, metadata: Any, code: int) -> None:
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": "two", **metadata}}

    assert asked("POST", widgets("default"), body).status == code


@pytest.mark.parametrize("change", [{"apiVersion": ["a"]}, {"apiVersion": 5}, {"kind": {"a": 1}}, {"kind": 5}])
def test_a_patch_that_makes_the_kind_no_text(asked: Asked, change: Any) -> None:
    for target in (widgets("default", "one"), config_maps("default", "one")):
        reply = asked("PATCH", target, change, content_type=MERGE)

        assert (reply.status, reply.document["reason"]) == (422, "Invalid")


def test_a_review_with_nothing_for_an_extra(asked: Asked) -> None:
    spec = {"user": "u", "extra": {"a": None}, "nonResourceAttributes": {"path": "/", "verb": "get"}}

    assert asked("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": spec}).status == 201


def test_an_integer_too_large_for_a_floating_point_number(asked: Asked) -> None:
    body = b'{"apiVersion":"%s/v1","kind":"Gadget","metadata":{"name":"x"},"a":1%s}' % (GROUP.encode(), b"0" * 400)

    assert asked("POST", gadgets(), body).status == 400


def test_a_grace_period_beyond_the_calendar(asked: Asked) -> None:
    asked.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "default"}})
    asked.create(pods("default"), _POD)

    reply = asked("DELETE", pods("default", "one"), {"gracePeriodSeconds": 2**63 - 1})

    assert reply.status == 200


@pytest.mark.parametrize("path", [f"{CONFIG_MAPS}/%zz", f"{CONFIG_MAPS}/%"])
def test_a_path_with_an_escape_that_is_none(asked: Asked, path: str) -> None:
    reply = asked("GET", path)

    assert (reply.status, reply.body) == (400, b"400 Bad Request")


def test_many_owners_are_compared_in_no_time(asked: Asked) -> None:
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": str(number % 25_000)} for number in range(30_000)]
    body = json.dumps({"metadata": {"name": "two", "ownerReferences": owners}}).encode()

    # Each with each would be a thousand million times.
    assert asked("POST", f"{CONFIG_MAPS}?dryRun=All", body).status == 201


def test_problems_beyond_a_thousand_are_not_told_one_by_one(asked: Asked) -> None:
    pod = {"metadata": {"name": "two"}, "spec": {"containers": [{}] * 5_000}}

    status = asked("POST", pods("default"), pod).document

    assert len(status["details"]["causes"]) == 1_000
    assert status["message"].endswith("(only the first 1000 problems are told)")


def test_an_object_larger_than_etcd_takes_is_refused_as_by_etcd(asked: Asked) -> None:
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Gadget", "metadata": {"name": "x"}, "a": "x" * 1_600_000}

    assert asked("POST", gadgets(), body).said == (500, "etcdserver: request is too large")


def test_a_text_that_aliases_would_repeat_beyond_the_size_of_a_body(asked: Asked) -> None:
    head = f"apiVersion: {GROUP}/v1\nkind: Gadget\nmetadata: {{name: x}}\n"
    body = f"{head}b: &b {'x' * 100_000}\na: [{','.join(['*b'] * 50)}]".encode()

    assert asked("POST", gadgets(), body, content_type="application/yaml").status == 400


def test_values_beyond_what_any_object_has_are_too_many(asked: Asked) -> None:
    lists = b"[" + b"{}," * 250_000 + b"{}]"

    assert asked("POST", gadgets(), lists).said == (413, "Request entity too large: limit is 200000 values")


def test_warnings_stay_within_the_room_for_headers(asked: Asked) -> None:
    fields = {f"{'field' * 50}{number}": 1 for number in range(1_000)}

    answer = asked.server.handle(_request(fields))

    assert answer.status == 201
    assert sum(map(len, answer.warnings)) < 8 * 1024


def _request(fields: dict[str, int]) -> ServerRequest:
    body = json.dumps({"metadata": {"name": "two"}, **fields}).encode()
    return ServerRequest("POST", CONFIG_MAPS, {"content-type": "application/json"}, body, ADMIN)
