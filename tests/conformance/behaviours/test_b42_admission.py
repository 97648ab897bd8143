"""What a write goes through before it is stored: rights, mutation, schema, validation."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.webhooks import CONFIGURATIONS, Webhooks
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B42")
WIDGETS = {
    "operations": ["*"],
    "apiGroups": ["conformance.windlass.dev"],
    "apiVersions": ["*"],
    "resources": ["widgets"],
}
DRY = {"dryRun": "All"}
BAD_SIZE = "set/spec/size/101"


def _probe(api: Api, webhooks: Webhooks, namespace: str, count: int = 1) -> None:
    """Wait until the server knows the webhooks for ConfigMaps."""
    webhooks.until_called(lambda: api.create(config_maps(namespace), config_map("probe", a="b"), query=DRY), count)
    webhooks.server.reviews.clear()


def _probe_widgets(api: Api, webhooks: Webhooks, namespace: str, count: int = 1) -> None:
    webhooks.until_called(lambda: api.create(widgets(namespace), widget("probe"), query=DRY), count)
    webhooks.server.reviews.clear()


def test_who_may_not_write_does_not_reach_a_webhook(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Mutating", "seen", namespace, "allow")
    _probe(api, webhooks, namespace)

    reply = api.create(config_maps(namespace), config_map(), headers={"Impersonate-User": "nobody"})

    assert reply.status == 403
    assert webhooks.server.paths == []


def test_mutating_webhooks_go_first_and_one_after_the_other(api: Api, namespace: str, webhooks: Webhooks) -> None:
    hooks: Any = [("b", "add/b", {}), ("a", "add/a", {})]
    webhooks.configure_all("Mutating", "m", namespace, hooks)
    webhooks.configure("Mutating", "a-first", namespace, "add/c")
    webhooks.configure("Validating", "v", namespace, "allow")
    _probe(api, webhooks, namespace, 4)

    created = api.create(config_maps(namespace), config_map(given="1")).ok

    assert webhooks.server.paths == ["/add/c", "/add/b", "/add/a", "/allow"]
    assert created["data"] == {"given": "1", "a": "was here", "b": "was here", "c": "was here"}
    reviewed = [review["request"]["object"]["data"] for _, review in webhooks.server.reviews]
    assert [len(data) for data in reviewed] == [1, 2, 3, 4]


def test_who_wants_is_asked_again_after_a_later_change(api: Api, namespace: str, webhooks: Webhooks) -> None:
    hooks: Any = [("a", "add/a", {"reinvocationPolicy": "IfNeeded"}), ("b", "add/b", {})]
    webhooks.configure_all("Mutating", "m", namespace, hooks)
    _probe(api, webhooks, namespace, 3)

    api.create(config_maps(namespace), config_map(given="1"))

    assert webhooks.server.paths == ["/add/a", "/add/b", "/add/a"]


def test_the_schema_judges_what_a_mutating_webhook_made(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Mutating", "m", namespace, BAD_SIZE, rules=[WIDGETS])
    webhooks.until_called(lambda: api.create(widgets(namespace), widget("probe"), query=DRY))

    reply = api.create(widgets(namespace), widget(size=1))

    assert reply.status == 422
    assert reply.causes[0]["message"] == "Invalid value: 101: spec.size in body should be less than or equal to 100"


def test_what_the_schema_refuses_does_not_reach_validating_webhooks(
    api: Api, namespace: str, webhooks: Webhooks
) -> None:
    webhooks.configure("Mutating", "m", namespace, "allow/mutating", rules=[WIDGETS])
    webhooks.configure("Validating", "v", namespace, "allow/validating", rules=[WIDGETS])
    _probe_widgets(api, webhooks, namespace, 2)

    reply = api.create(widgets(namespace), widget(size=101))

    assert reply.status == 422
    assert webhooks.server.paths == ["/allow/mutating"]


def test_a_webhook_sees_defaults_and_not_what_was_pruned(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Mutating", "m", namespace, "allow", rules=[WIDGETS])
    _probe_widgets(api, webhooks, namespace)

    api.create(widgets(namespace), widget(size=1, weight=5))

    ((_, review),) = webhooks.server.reviews
    assert review["request"]["object"]["spec"] == {"size": 1, "color": "red"}


@pytest.mark.parametrize("kind", ["Mutating", "Validating"])
def test_a_denial_tells_who_and_why(api: Api, namespace: str, webhooks: Webhooks, kind: str) -> None:
    webhooks.configure(kind, "judge", namespace, "deny/never")
    _probe(api, webhooks, namespace)

    reply = api.create(config_maps(namespace), config_map())

    why = 'admission webhook "judge.example.com" denied the request: never'
    assert (reply.status, reply.message) == (400, why)
    assert api.get(config_maps(namespace, "one")).status == 404


def test_a_deletion_can_be_denied(api: Api, namespace: str, webhooks: Webhooks) -> None:
    api.create(config_maps(namespace), config_map())
    rule = {"operations": ["DELETE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
    webhooks.configure("Validating", "judge", namespace, "deny/stay", rules=[rule])

    reply = webhooks.until_called(lambda: api.delete(config_maps(namespace, "one"), query=DRY))

    assert reply.message == 'admission webhook "judge.example.com" denied the request: stay'
    request = webhooks.server.reviews[-1][1]["request"]
    assert (request["operation"], request["object"]) == ("DELETE", None)
    assert request["oldObject"]["metadata"]["name"] == "one"


def test_a_webhook_that_fails_refuses_or_is_ignored_as_its_policy_says(
    api: Api, namespace: str, webhooks: Webhooks
) -> None:
    selector = {"objectSelector": {"matchLabels": {"strict": "yes"}}}
    hooks: Any = [("ignored", "fail", {"failurePolicy": "Ignore"}), ("failing", "fail", selector)]
    webhooks.configure_all("Validating", "v", namespace, hooks)
    _probe(api, webhooks, namespace)
    strict = config_map("strict")
    strict["metadata"]["labels"] = {"strict": "yes"}

    ignored = api.create(config_maps(namespace), config_map())
    refused = api.create(config_maps(namespace), strict)

    assert ignored.status == 201
    assert (refused.status, refused.reason) == (500, "InternalError")
    assert refused.message.startswith('Internal error occurred: failed calling webhook "failing.example.com": ')


def test_a_webhook_that_is_too_slow_has_failed(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Validating", "slow", namespace, "wait/5", timeoutSeconds=1)

    reply = webhooks.until_called(lambda: api.create(config_maps(namespace), config_map(), query=DRY))

    assert (reply.status, reply.reason) == (500, "InternalError")
    assert reply.message.startswith('Internal error occurred: failed calling webhook "slow.example.com": ')
    assert reply.message.endswith("context deadline exceeded")


def test_conditions_decide_who_is_asked(api: Api, namespace: str, webhooks: Webhooks) -> None:
    conditions = [
        {"name": "named", "expression": "object.metadata.name.startsWith('asked')"},
        {"name": "created", "expression": "request.operation == 'CREATE' && oldObject == null"},
    ]
    webhooks.configure("Validating", "v", namespace, "deny/no", matchConditions=conditions)
    webhooks.until_called(lambda: api.create(config_maps(namespace), config_map("asked"), query=DRY))

    assert api.create(config_maps(namespace), config_map("other")).status == 201
    assert api.create(config_maps(namespace), config_map("asked-too")).status == 400


def test_selectors_decide_who_is_asked(api: Api, namespace: str, webhooks: Webhooks) -> None:
    other = f"{namespace}-b"
    api.create("/api/v1/namespaces", {"metadata": {"name": other}})
    webhooks.configure("Validating", "v", namespace, "deny", objectSelector={"matchLabels": {"ask": "yes"}})
    asked = config_map()
    asked["metadata"]["labels"] = {"ask": "yes"}
    webhooks.until_called(lambda: api.create(config_maps(namespace), asked, query=DRY))

    assert api.create(config_maps(namespace), config_map("plain")).status == 201
    assert api.create(config_maps(other), asked).status == 201
    assert api.create(config_maps(namespace), asked).status == 400


def test_the_old_object_counts_for_the_object_selector(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Validating", "v", namespace, "allow", objectSelector={"matchLabels": {"ask": "yes"}})
    asked = config_map()
    asked["metadata"]["labels"] = {"ask": "yes"}
    webhooks.until_called(lambda: api.create(config_maps(namespace), asked, query=DRY))
    api.create(config_maps(namespace), asked)
    webhooks.server.reviews.clear()

    api.patch(config_maps(namespace, "one"), {"metadata": {"labels": None}})

    assert [review["request"]["operation"] for _, review in webhooks.server.reviews] == ["UPDATE"]


def test_a_webhook_may_not_have_side_effects(api: Api, namespace: str, webhooks: Webhooks) -> None:
    hook = {
        "name": "effects.example.com",
        "sideEffects": "Some",
        "admissionReviewVersions": ["v1"],
        "clientConfig": webhooks.client_config("allow"),
    }
    configuration = {"metadata": {"name": f"effects-{namespace}"}, "webhooks": [hook]}

    reply = api.create(f"{CONFIGURATIONS}/validatingwebhookconfigurations", configuration)

    assert (reply.status, reply.causes[0]["field"]) == (422, "webhooks[0].sideEffects")


def test_warnings_reach_the_client(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Validating", "v", namespace, "warn/careful")

    reply = webhooks.until_called(lambda: api.create(config_maps(namespace), config_map(), query=DRY))

    assert reply.warnings == ('299 - "careful"',)


def test_the_review_tells_who_asks_for_what(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Validating", "v", namespace, "allow")
    _probe(api, webhooks, namespace)
    api.create(config_maps(namespace), config_map(a="b"))
    webhooks.server.reviews.clear()

    api.patch(config_maps(namespace, "one"), {"data": {"a": "c"}}, query={"fieldManager": "me"})

    ((_, review),) = webhooks.server.reviews
    request = review["request"]
    assert (review["kind"], review["apiVersion"]) == ("AdmissionReview", "admission.k8s.io/v1")
    assert request["kind"] == {"group": "", "version": "v1", "kind": "ConfigMap"}
    assert request["resource"] == {"group": "", "version": "v1", "resource": "configmaps"}
    assert (request["name"], request["namespace"], request["operation"]) == ("one", namespace, "UPDATE")
    assert "system:masters" in request["userInfo"]["groups"]
    assert (request["object"]["data"], request["oldObject"]["data"]) == ({"a": "c"}, {"a": "b"})
    assert request["dryRun"] is False
    options = {"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"}
    assert request["options"] == options
