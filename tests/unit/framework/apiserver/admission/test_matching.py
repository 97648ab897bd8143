from typing import Any

import pytest

from framework.apiserver.admission import AdmissionRequest
from framework.errors import ApiError, Forbidden
from tests.unit.framework.apiserver.admission.fakes import (
    NEW_WIDGETS,
    OLD_WIDGETS,
    FakeCaller,
    a_request,
    a_resource,
    a_rule,
    a_webhook,
    admission_with,
    an_admission,
    validating,
)
from tests.unit.framework.apiserver.auth.fakes import FakeReader

NAMESPACES = a_resource("Namespace", is_namespaced=False)
NODES = a_resource("Node", is_namespaced=False)


def is_called(request: AdmissionRequest, **webhook: Any) -> bool:
    caller = FakeCaller()
    admission_with(caller, validating(a_webhook("v", **webhook))).validate(request)
    return bool(caller.asked)


def labelled(**labels: str) -> dict[str, Any]:
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x", "labels": labels}}


@pytest.mark.parametrize(
    ("rule", "request_", "expected"),
    [
        (a_rule(), a_request(), True),
        (a_rule(operations=["UPDATE"]), a_request(), False),
        (a_rule(operations=["UPDATE", "CREATE"]), a_request(), True),
        (a_rule(apiGroups=["apps"]), a_request(), False),
        (a_rule(apiVersions=["v2"]), a_request(), False),
        (a_rule(resources=["configmaps"]), a_request(), True),
        (a_rule(resources=["secrets"]), a_request(), False),
        (a_rule(resources=["*"]), a_request(subresource="status"), False),
        (a_rule(resources=["*/*"]), a_request(subresource="status"), True),
        (a_rule(resources=["*/*"]), a_request(), True),
        (a_rule(resources=["configmaps/*"]), a_request(subresource="status"), True),
        (a_rule(resources=["*/status"]), a_request(subresource="status"), True),
        (a_rule(resources=["*/scale"]), a_request(subresource="status"), False),
        (a_rule(scope="Namespaced"), a_request(), True),
        (a_rule(scope="Cluster"), a_request(), False),
        (a_rule(scope="Cluster"), a_request(NODES), True),
        (a_rule(scope="Namespaced"), a_request(NODES), False),
        (a_rule(scope="Cluster"), a_request(NAMESPACES, namespace="x"), True),
        (a_rule(scope="Namespaced"), a_request(NAMESPACES, namespace="x"), False),
    ],
)
def test_a_webhook_is_called_for_what_its_rules_say(
    rule: dict[str, Any], request_: AdmissionRequest, *, expected: bool
) -> None:
    assert is_called(request_, rules=[rule]) is expected


@pytest.mark.parametrize(
    ("selector", "request_", "expected"),
    [
        ({"matchLabels": {"team": "blue"}}, a_request(), True),
        ({"matchLabels": {"team": "red"}}, a_request(), False),
        ({"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["blue"]}]}, a_request(), False),
        ({"matchLabels": {"team": "red"}}, a_request(NODES), True),
        # A namespace that is written counts as it will be.
        ({"matchLabels": {"new": "1"}}, a_request(NAMESPACES, object=labelled(new="1"), namespace="x"), True),
        ({"matchLabels": {"team": "blue"}}, a_request(NAMESPACES, object=labelled(new="1"), namespace="ns"), False),
        (
            {"matchLabels": {"team": "blue"}},
            a_request(NAMESPACES, operation="DELETE", object=None, namespace="ns"),
            True,
        ),
    ],
)
def test_a_webhook_is_called_for_the_namespaces_it_selects(
    selector: dict[str, Any], request_: AdmissionRequest, *, expected: bool
) -> None:
    assert is_called(request_, namespaceSelector=selector) is expected


def test_a_webhook_is_called_when_the_new_or_the_old_object_is_selected() -> None:
    selector = {"matchLabels": {"a": "1"}}
    update = a_request(operation="UPDATE", object=labelled(a="2"), old_object=labelled(a="1"))

    assert is_called(update, objectSelector=selector)
    assert not is_called(a_request(object=labelled(a="2")), objectSelector=selector)


def test_a_namespace_that_is_gone_is_not_found_if_a_webhook_wants_to_know_its_labels() -> None:
    reader = FakeReader(validating(a_webhook("v", namespaceSelector={"matchLabels": {"a": "b"}})))

    with pytest.raises(ApiError) as refusal:
        an_admission(reader, FakeCaller()).validate(a_request())

    assert str(refusal.value) == 'namespaces "ns" not found'


def test_other_versions_match_too_and_are_converted_unless_the_policy_is_exact() -> None:
    rules = [a_rule(apiGroups=["example.com"], apiVersions=["v2"])]
    caller = FakeCaller()
    request = a_request(OLD_WIDGETS, old_object={"apiVersion": "example.com/v1", "kind": "Widget"})

    admission_with(caller, validating(a_webhook("v", rules=rules))).validate(request)

    [(_, review)] = caller.asked
    asked = review["request"]
    assert asked["kind"] == {"group": "example.com", "version": "v2", "kind": "Widget"}
    assert asked["resource"] == {"group": "example.com", "version": "v2", "resource": "widgets"}
    assert asked["requestKind"] == {"group": "example.com", "version": "v1", "kind": "Widget"}
    assert asked["requestResource"] == {"group": "example.com", "version": "v1", "resource": "widgets"}
    assert asked["object"]["apiVersion"] == asked["oldObject"]["apiVersion"] == "example.com/v2"
    assert not is_called(request, rules=rules, matchPolicy="Exact")
    assert is_called(a_request(NEW_WIDGETS), rules=rules, matchPolicy="Exact")


@pytest.mark.parametrize(
    ("expressions", "expected"),
    [
        (["true", "true"], True),
        (["true", "false"], False),
        (["no such key: a", "false"], False),
        (["named x"], True),
    ],
)
def test_a_webhook_is_called_if_all_conditions_hold(expressions: list[str], *, expected: bool) -> None:
    conditions = [{"name": text, "expression": text} for text in expressions]

    assert is_called(a_request(), matchConditions=conditions) is expected


def test_a_condition_that_fails_refuses_the_request_unless_failures_are_ignored() -> None:
    conditions = [{"name": "c", "expression": "no such key: data"}]

    with pytest.raises(Forbidden) as refusal:
        is_called(a_request(), matchConditions=conditions)

    assert str(refusal.value) == (
        "configmaps \"x\" is forbidden: expression 'no such key: data' resulted in error: no such key: data"
    )
    assert not is_called(a_request(), matchConditions=conditions, failurePolicy="Ignore")


def test_webhook_configurations_are_never_shown_to_webhooks() -> None:
    configuration = a_resource("ValidatingWebhookConfiguration", group="admissionregistration.k8s.io")

    assert not is_called(a_request(configuration))
