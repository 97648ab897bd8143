"""A config that went bad keeps what it has, and what it has is kept working."""

from collections.abc import Sequence

import pytest

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap
from apis.meta import Condition, Key, Request
from controllers.peerpodconfig import PeerPodConfigReconciler
from controllers.peerpodconfig.webhook import WebhookState
from controllers.peerpods.names import DAEMON_SET
from framework.apiserver.server import ApiServer
from framework.client import Client
from framework.conditions import find_condition
from framework.errors import NotFound
from framework.testing.virtual_time import VirtualTime
from tests.component.peerpodconfig.test_embedding import KEY, OPTIONS, filled

SETTINGS = Key("operands", "peer-pods-cm")


class Rollout:
    """In place of the webhook's: who wanted it, each time."""

    def __init__(self) -> None:
        self.wanted: list[list[str]] = []

    def apply(self, configs: Sequence[PeerPodConfig]) -> WebhookState:
        self.wanted.append([each.metadata.name for each in configs])
        return WebhookState(is_applied=True, is_ready=True, reason="Available", message="", look_again_seconds=7.0)

    def remove(self) -> None:
        raise AssertionError("nobody asked for that")


def test_certificates_of_the_webhook_are_renewed_while_settings_are_bad() -> None:
    client, rollout = filled(ApiServer()), Rollout()
    reconciler = PeerPodConfigReconciler(client, OPTIONS, clock=VirtualTime().clock, webhook=rollout)
    reconciler.reconcile(Request(KEY))
    client.merge_patch(ConfigMap, SETTINGS, {"data": {"CLOUD_PROVIDER": "AWS"}})

    result = reconciler.reconcile(Request(KEY))

    assert rollout.wanted == [[KEY.name], [KEY.name]]
    assert result.requeue_after_seconds == 7.0
    assert client.get(PeerPodConfig, KEY).status.setup_completed is False


def test_nothing_is_rolled_out_for_a_config_that_was_bad_from_the_beginning() -> None:
    client, rollout = filled(ApiServer()), Rollout()
    client.merge_patch(ConfigMap, SETTINGS, {"data": {"CLOUD_PROVIDER": "AWS"}})
    reconciler = PeerPodConfigReconciler(client, OPTIONS, clock=VirtualTime().clock, webhook=rollout)

    result = reconciler.reconcile(Request(KEY))

    assert rollout.wanted == []
    assert result.requeue_after_seconds == 60.0


def condition(client: Client, condition_type: str) -> Condition:
    found = find_condition(client.get(PeerPodConfig, KEY).status.conditions, condition_type)
    assert found is not None
    return found


def test_a_daemon_set_that_goes_while_settings_are_bad_is_told_and_comes_back_when_they_are_good() -> None:
    client = filled(ApiServer())
    daemon_set = Key("operands", DAEMON_SET)
    reconciler = PeerPodConfigReconciler(client, OPTIONS, clock=VirtualTime().clock)
    reconciler.reconcile(Request(KEY))
    client.merge_patch(ConfigMap, SETTINGS, {"data": {"CLOUD_PROVIDER": "AWS"}})
    reconciler.reconcile(Request(KEY))
    client.delete(DaemonSet, daemon_set)

    reconciler.reconcile(Request(KEY))

    with pytest.raises(NotFound):
        client.get(DaemonSet, daemon_set)
    found = condition(client, "DaemonSetReady")
    assert (found.status, found.reason) == ("False", "NotApplied")
    assert "comes back" in found.message
    client.merge_patch(ConfigMap, SETTINGS, {"data": {"CLOUD_PROVIDER": "aws"}})
    reconciler.reconcile(Request(KEY))
    assert client.get(DaemonSet, daemon_set).metadata.labels
    assert condition(client, "DaemonSetReady").reason != "NotApplied"


def test_a_daemon_set_that_others_change_while_settings_are_bad_is_left_as_it_is() -> None:
    client = filled(ApiServer())
    daemon_set = Key("operands", DAEMON_SET)
    reconciler = PeerPodConfigReconciler(client, OPTIONS, clock=VirtualTime().clock)
    reconciler.reconcile(Request(KEY))
    client.merge_patch(ConfigMap, SETTINGS, {"data": {"CLOUD_PROVIDER": "AWS"}})
    changed = client.merge_patch(DaemonSet, daemon_set, {"spec": {"minReadySeconds": 5}})

    reconciler.reconcile(Request(KEY))

    assert client.get(DaemonSet, daemon_set).metadata.resource_version == changed.metadata.resource_version
    assert condition(client, "DaemonSetReady").reason == "Progressing"
