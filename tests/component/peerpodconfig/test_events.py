"""What people are told, and how often."""

import pytest

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Node
from apis.meta import Key, KubeObject, Request
from controllers.peerpodconfig import PeerPodConfigReconciler
from controllers.peerpods.names import EXTENDED_RESOURCE
from framework.apiserver.server import ApiServer
from framework.events import EventType
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime
from tests.component.peerpodconfig.test_embedding import KEY, OPTIONS, filled


class Heard:
    """In place of a recorder."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def record(self, about: KubeObject, event_type: EventType, reason: str, note: str, *, action: str) -> None:
        assert (about.key, action) == (KEY, "RollOut"), (event_type, note)
        self.reasons.append(reason)


class Place:
    def __init__(self) -> None:
        self.client, self.heard, self.time = filled(ApiServer()), Heard(), VirtualTime()
        self.reconciler = PeerPodConfigReconciler(self.client, OPTIONS, self.heard, self.time.clock)

    def reconcile(self) -> Result:
        return self.reconciler.reconcile(Request(KEY))

    def spoil(self) -> None:
        numbers = {"status": {"capacity": {EXTENDED_RESOURCE: "0"}}}
        self.client.merge_patch(Node, Key("", "a"), numbers, subresource="status")

    def number(self) -> str:
        return self.client.get(Node, Key("", "a")).status.capacity[EXTENDED_RESOURCE]


@pytest.fixture
def place() -> Place:
    return Place()


def test_what_was_done_is_told_once(place: Place) -> None:
    for _ in range(3):
        place.reconcile()

    assert sorted(place.heard.reasons) == ["DaemonSetApplied", "NodesAdvertised"]


def test_a_cloud_whose_adaptor_knows_no_type_of_vms_is_told_of_once(place: Place) -> None:
    place.client.merge_patch(ConfigMap, Key("operands", "peer-pods-cm"), {"data": {"CLOUD_PROVIDER": "libvirt"}})
    place.client.merge_patch(PeerPodConfig, KEY, {"spec": {"instanceType": "small"}})

    for _ in range(3):
        place.reconcile()

    assert place.heard.reasons.count("InstanceTypeIgnored") == 1


def test_who_fights_over_a_number_is_told_of_and_then_set_right_once_a_minute(place: Place) -> None:
    place.reconcile()
    for _ in range(11):
        place.spoil()
        place.reconcile()
        assert place.number() == "3"
    place.spoil()

    result = place.reconcile()

    assert place.number() == "0"
    assert "CapacityContested" in place.heard.reasons
    assert result.requeue_after_seconds == 60
    status = place.client.get(PeerPodConfig, KEY).status
    # False, and not merely absent.
    assert status.setup_completed is False
    assert "CapacityContested" in {each.reason for each in status.conditions}
    place.time.advance(60)
    place.reconcile()
    assert place.number() == "3"
