"""What the API server is told of the hooks."""

from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.meta import GroupVersionKind, Key, ResourceType
from framework.certificates import CertificateOptions
from framework.clock import SystemClock
from framework.errors import ConfigurationError
from framework.runtime import ThreadRuntime
from framework.webhooks import HookOptions, WebhookOptions, Webhooks
from framework.webhooks.configuration import client_config, hosts_of, name_of
from tests.unit.framework.webhooks.widgets import Widget

SERVICE = WebhookOptions(name="shop", service=Key("shop-system", "shop"))
SECRETS = ResourceType(GroupVersionKind("", "v1", "Secret"), "secrets")


def webhooks(options: WebhookOptions = SERVICE) -> Webhooks:
    client: Any = None
    return Webhooks(client, options, clock=SystemClock(), runtime=ThreadRuntime(), registry=CollectorRegistry())


def test_the_kind_gives_path_rules_and_name() -> None:
    declared = webhooks()
    declared.validate(Widget, lambda _: None, HookOptions(operations=("DELETE",), subresources=("", "status")))

    (manifest,) = declared.manifests()

    assert (manifest["kind"], manifest["metadata"]) == ("ValidatingWebhookConfiguration", {"name": "shop"})
    assert manifest["webhooks"] == [
        {
            "name": "validate.v1.widgets.shop.example.com",
            "clientConfig": {
                "service": {
                    "namespace": "shop-system",
                    "name": "shop",
                    "port": 443,
                    "path": "/validate-shop-example-com-v1-widget",
                }
            },
            "rules": [
                {
                    "operations": ["DELETE"],
                    "apiGroups": ["shop.example.com"],
                    "apiVersions": ["v1"],
                    "resources": ["widgets", "widgets/status"],
                    "scope": "*",
                }
            ],
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "sideEffects": "None",
            "timeoutSeconds": 10,
            "admissionReviewVersions": ["v1"],
        }
    ]


def test_built_in_kinds_are_let_alone_where_the_cluster_and_we_live() -> None:
    declared = webhooks()
    declared.mutate(SECRETS, lambda _: None)

    selector = declared.manifests()[0]["webhooks"][0]["namespaceSelector"]

    assert selector["matchExpressions"][0]["values"] == ["kube-system", "shop-system"]


def test_a_webhook_of_secrets_does_not_hold_up_its_own_certificates() -> None:
    own = CertificateOptions(secret=Key("vault", "certificates"))
    declared = webhooks(WebhookOptions(name="shop", url="https://127.0.0.1:9443", certificates=own))
    declared.validate(SECRETS, lambda _: None)

    selector = declared.manifests()[0]["webhooks"][0]["namespaceSelector"]

    assert selector["matchExpressions"][0]["values"] == ["kube-system", "vault"]


def test_all_that_is_chosen_is_said() -> None:
    declared = webhooks()
    options = HookOptions(
        failure_policy="Ignore",
        side_effects="NoneOnDryRun",
        match_conditions={"ours": "true"},
        namespace_selector={"matchLabels": {"a": "b"}},
        object_selector={"matchLabels": {"c": "d"}},
        reinvocation_policy="IfNeeded",
    )
    declared.mutate(SECRETS, lambda _: None, options)

    entry = declared.manifests()[0]["webhooks"][0]

    assert entry["name"] == "mutate.v1.secrets.core"
    assert (entry["failurePolicy"], entry["sideEffects"], entry["reinvocationPolicy"]) == (
        "Ignore",
        "NoneOnDryRun",
        "IfNeeded",
    )
    assert entry["matchConditions"] == [{"name": "ours", "expression": "true"}]
    assert (entry["namespaceSelector"], entry["objectSelector"]) == (
        {"matchLabels": {"a": "b"}},
        {"matchLabels": {"c": "d"}},
    )


def test_a_url_gives_host_and_place() -> None:
    options = WebhookOptions(url="https://127.0.0.1:9443")

    assert hosts_of(options) == ("127.0.0.1",)
    assert client_config(options, "/convert", b"pem") == {"url": "https://127.0.0.1:9443/convert", "caBundle": "cGVt"}


@pytest.mark.parametrize("url", ["", "http://host", "https://", "host:9443"])
def test_a_server_that_nobody_can_find_does_not_start(url: str) -> None:
    declared = webhooks(WebhookOptions(url=url))
    declared.validate(Widget, lambda _: None)

    with pytest.raises(ConfigurationError, match="the API server must know where to call"):
        declared.start()


def test_the_service_names_the_configurations() -> None:
    assert name_of(WebhookOptions(service=Key("shop-system", "shop"))) == "shop.shop-system"


def test_configurations_without_a_name_are_refused() -> None:
    declared = webhooks(WebhookOptions(url="https://127.0.0.1:9443"))
    declared.validate(Widget, lambda _: None)

    with pytest.raises(ConfigurationError, match="give a name"):
        declared.start()


def test_two_webhooks_of_one_kind_are_refused() -> None:
    declared = webhooks()
    declared.validate(Widget, lambda _: None)

    with pytest.raises(ConfigurationError, match="two webhooks for /validate-shop-example-com-v1-widget"):
        declared.validate(Widget, lambda _: None)


def test_without_webhooks_nothing_is_started_and_nothing_is_wrong() -> None:
    declared = webhooks(WebhookOptions())

    declared.start()

    assert (declared.port, declared.problem, declared.hooks, declared.manifests()) == (0, None, [], [])
    declared.stop(0)
