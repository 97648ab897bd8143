"""The errors of metadata, beside those of the real server."""

from typing import Any

import pytest

from framework.apiserver.fields import FieldError
from framework.apiserver.objectmeta import (
    finalizer_warnings,
    subdomain_name,
    validate_change,
    validate_new,
    validate_update,
)
from tests.conformance.api import Api

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
REQUESTSTATES = "/apis/com.redhat.ecosystem.sample/v1/namespaces/default/requeststates"
OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "n", "uid": "u", "controller": True}
BAD_METADATA: list[dict[str, Any]] = [
    {"name": "A_b"},
    {"name": 254 * "x"},
    {"name": "."},
    {"name": "a%b"},
    {"labels": {"a b": ""}},
    {"labels": {"a": "-y"}},
    {"labels": {"/x": 64 * "y"}},
    {"labels": {f"{254 * 'x'}/y": ""}},
    {"annotations": {"a b": ""}},
    {"annotations": {"a": 262144 * "x"}},
    {"ownerReferences": [{}]},
    {"ownerReferences": [{"apiVersion": "a/b/c", "kind": "Pod", "name": "n", "uid": "u"}]},
    {"ownerReferences": [{**OWNER, "kind": "Event", "blockOwnerDeletion": False}]},
    {"ownerReferences": [OWNER, {**OWNER, "uid": "v", "blockOwnerDeletion": True}, {**OWNER, "uid": "w"}]},
    {"finalizers": ["a b"]},
    {"finalizers": ["a/b/c"]},
    {"finalizers": ["foo"]},
    {"finalizers": ["orphan", "foregroundDeletion"]},
]
BAD_CHANGES: list[dict[str, Any]] = [
    {"labels": {"a b": ""}},
    {"annotations": {"a b": ""}},
    {"ownerReferences": [{}]},
    {"finalizers": ["a b"]},
    {"deletionGracePeriodSeconds": 3},
    {"deletionTimestamp": "2020-01-01T00:00:00Z"},
]


def a_config_map(**metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default", **metadata}}


def a_requeststate(**metadata: Any) -> dict[str, Any]:
    spec = {"request-uid": "a", "job": "j", "state": "REQUESTED"}
    metadata = {"name": "a", "namespace": "default", **metadata}
    return {"apiVersion": "com.redhat.ecosystem.sample/v1", "kind": "RequestState", "metadata": metadata, "spec": spec}


def causes(errors: list[FieldError]) -> list[dict[str, str]]:
    return [
        {"reason": cause.reason, "message": cause.message, "field": cause.field}
        for cause in (error.cause() for error in errors)
    ]


@pytest.mark.parametrize("metadata", BAD_METADATA, ids=lambda metadata: str(metadata)[:60])
def test_a_new_object_of_a_core_kind_is_refused_with_the_same_causes(real: Api, metadata: dict[str, Any]) -> None:
    obj = a_config_map(**metadata)

    reply = real.create(CONFIG_MAPS, obj, query={"dryRun": "All"})

    expected = validate_new(obj, is_namespaced=True, name_rule=subdomain_name, has_core_finalizers=True)
    assert reply.causes == causes(expected)
    assert reply.status == 422


@pytest.mark.parametrize("metadata", BAD_METADATA, ids=lambda metadata: str(metadata)[:60])
def test_a_new_custom_resource_is_refused_with_the_same_causes(real: Api, metadata: dict[str, Any]) -> None:
    obj = a_requeststate(**metadata)

    reply = real.create(REQUESTSTATES, obj, query={"dryRun": "All"})

    # Rules of the kind may stay unchecked, and that is said too.
    own = [cause for cause in reply.causes if cause["field"] != "<nil>"]
    assert own == causes(validate_new(obj, is_namespaced=True, name_rule=subdomain_name))


@pytest.mark.parametrize("metadata", BAD_CHANGES, ids=str)
def test_an_update_of_a_custom_resource_is_refused_with_the_same_causes(real: Api, metadata: dict[str, Any]) -> None:
    created = real.create(REQUESTSTATES, a_requeststate(name="changed"))
    old = created.document if created.status == 201 else real.get(f"{REQUESTSTATES}/changed").document
    new = {**old, "metadata": {**old["metadata"], **metadata}}

    reply = real.put(f"{REQUESTSTATES}/changed", new, query={"dryRun": "All"})

    assert reply.causes == causes([*validate_update(new, old, is_namespaced=True), *validate_change(new, old)])
    assert reply.status == 422


def test_finalizers_that_others_may_use_are_warned_of(real: Api) -> None:
    obj = a_requeststate(finalizers=["foo", "foo.example", "a.b/c"])

    reply = real.create(REQUESTSTATES, obj, query={"dryRun": "All"})

    quoted = [warning.replace('"', '\\"') for warning in finalizer_warnings(obj, None)]
    assert list(reply.warnings) == [f'299 - "{warning}"' for warning in quoted]
