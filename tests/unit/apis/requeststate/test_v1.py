"""RequestState in Python and the golden facts of its CRD."""

from typing import Any

import msgspec
import pytest

from apis.requeststate.v1 import HistoryEntry, RequestState, RequestStateSpec, State
from apis.schema import crd_of


@pytest.fixture
def crd() -> dict[str, Any]:
    return crd_of(RequestState)


@pytest.fixture
def properties(crd: dict[str, Any]) -> dict[str, Any]:
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return {
        "root": schema,
        "spec": schema["properties"]["spec"],
        "status": schema["properties"]["status"]["properties"],
    }


def test_the_uid_has_a_hyphen_in_json() -> None:
    spec = RequestStateSpec(request_uid="u", job="JOB1", state=State.REQUESTED)

    assert msgspec.to_builtins(spec) == {"request-uid": "u", "job": "JOB1", "state": "REQUESTED"}
    assert msgspec.convert({"request-uid": "u", "job": "JOB1", "state": "REQUESTED"}, RequestStateSpec) == spec


def test_a_history_entry_leaves_out_what_it_does_not_know() -> None:
    entry = msgspec.convert({"job": "J", "state": "STARTED", "timestamp": "2025-01-02T03:04:05.000000Z"}, HistoryEntry)

    assert set(msgspec.to_builtins(entry)) == {"job", "state", "timestamp"}


def test_the_names_are_those_of_the_specification(crd: dict[str, Any]) -> None:
    version = crd["spec"]["versions"][0]

    assert crd["metadata"]["name"] == "requeststates.com.redhat.ecosystem.sample"
    assert crd["spec"]["scope"] == "Namespaced"
    assert crd["spec"]["names"]["shortNames"] == ["reqstate"]
    assert version["subresources"] == {"status": {}}
    assert version["selectableFields"] == [{"jsonPath": ".spec.job"}, {"jsonPath": ".spec.state"}]
    assert [(column["name"], column["jsonPath"]) for column in version["additionalPrinterColumns"]] == [
        ("Job", ".spec.job"),
        ("State", ".spec.state"),
        ("Worker", ".status.claim.worker"),
        ("Age", ".metadata.creationTimestamp"),
    ]


def test_the_spec_is_limited_and_required(properties: dict[str, Any]) -> None:
    fields = properties["spec"]["properties"]

    assert properties["root"]["required"] == ["spec"]
    assert properties["spec"]["required"] == ["request-uid", "job", "state"]
    assert (fields["request-uid"]["minLength"], fields["request-uid"]["maxLength"]) == (1, 253)
    assert fields["job"]["pattern"] == "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
    assert fields["state"]["enum"] == ["REQUESTED", "STARTED", "COMPLETED", "FAILED"]


def test_every_rule_is_a_transition_rule_whose_message_names_its_field(properties: dict[str, Any]) -> None:
    rules = properties["spec"]["x-kubernetes-validations"]

    assert [rule["fieldPath"] for rule in rules] == ["['request-uid']", ".state", ".job"]
    assert all("oldSelf" in rule["rule"] for rule in rules)
    assert all(rule["fieldPath"].strip(".[']") in rule["message"] for rule in rules)


def test_the_status_is_as_specified(properties: dict[str, Any]) -> None:
    status = properties["status"]
    entry = status["history"]["items"]

    assert status["history"]["maxItems"] == 1000
    assert entry["required"] == ["job", "state", "timestamp"]
    assert list(entry["properties"]) == ["job", "state", "timestamp", "requestedAt", "worker", "message"]
    assert entry["properties"]["timestamp"]["format"] == "date-time"
    assert list(status["claim"]["properties"]) == ["worker", "acquireTime", "renewTime"]
    assert status["conditions"]["x-kubernetes-list-map-keys"] == ["type"]
    assert status["observedGeneration"]["format"] == "int64"
