"""The webhook comes with the first config that wants it and goes with the last one, on a real control plane."""

from typing import Any

import pytest

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.meta import GroupVersionKind, Key, ResourceType
from framework.errors import NotFound
from tests.integration.peerpods.site import Site
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("peerpods")
CONFIGURATIONS = ResourceType(
    GroupVersionKind("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"),
    "mutatingwebhookconfigurations",
    "Cluster",
)
DEPLOYMENTS = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")
SERVICES = ResourceType(GroupVersionKind("", "v1", "Service"), "services")
SECRETS = ResourceType(GroupVersionKind("", "v1", "Secret"), "secrets")


def rolled_out(site: Site) -> list[str]:
    """What there is of the webhook."""
    wanted = [
        (CONFIGURATIONS, "", "peer-pods-webhook-mutating-webhook-configuration"),
        (DEPLOYMENTS, site.namespace, "peer-pods-webhook-controller-manager"),
        (SERVICES, site.namespace, "peer-pods-webhook-webhook-service"),
        (SECRETS, site.namespace, "webhook-server-cert"),
        (SECRETS, site.namespace, "peer-pods-webhook-ca"),
    ]
    return [resource.gvk.kind for resource, namespace, name in wanted if exists(site, resource, Key(namespace, name))]


def exists(site: Site, resource: ResourceType, key: Key) -> bool:
    try:
        site.client.get(resource, key)
    except NotFound:
        return False
    return True


DEPLOYED: dict[str, Any] = {"webhook_mode": "deployment", "webhook_image": "images.example/windlass:1"}
ALL = ["MutatingWebhookConfiguration", "Deployment", "Service", "Secret", "Secret"]


def test_the_webhook_is_there_while_any_config_wants_it(empty_site: Site) -> None:
    site = empty_site
    site.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
    site.node("a", {"for": "one"})
    site.node("b", {"for": "two"})
    site.start(**DEPLOYED)
    first = site.config("first", nodeSelector={"for": "one"})
    second = site.config("second", nodeSelector={"for": "two"}, namespace=site.elsewhere)
    for key in (first, second):
        site.wait_until_set_up(key)
    assert rolled_out(site) == ALL
    eventually(lambda: site.condition(first, "WebhookReady") is not None, "it is told about")

    site.client.delete(PeerPodConfig, first)
    eventually(lambda: site.is_gone(first), "the first is gone")
    assert rolled_out(site) == ALL
    site.client.delete(SERVICES, Key(site.namespace, "peer-pods-webhook-webhook-service"))
    eventually(lambda: rolled_out(site) == ALL, "what is deleted is made again")
    site.client.delete(PeerPodConfig, second)

    eventually(lambda: site.is_gone(second), "the second is gone")
    eventually(lambda: rolled_out(site) == [], "and the webhook with it")


def test_a_webhook_that_the_last_config_left_behind_is_cleared_up_at_the_start(empty_site: Site) -> None:
    site = empty_site
    site.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
    site.node("a")
    site.start(**DEPLOYED)
    key = site.config()
    site.wait_until_set_up(key)
    site.stop()
    site.client.merge_patch(PeerPodConfig, key, {"metadata": {"finalizers": None}})
    site.client.delete(PeerPodConfig, key)
    assert rolled_out(site) == ALL

    site.start(**DEPLOYED)

    eventually(lambda: rolled_out(site) == [], "the webhook is gone")
