"""Both controllers and the webhook in a manager that is not ours."""

import os
from collections.abc import Callable, Iterator

import msgspec
import pytest

from apis.confidentialcontainers.peerpod import PeerPod, PeerPodSpec
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Node
from apis.meta import Key, ObjectMeta
from controllers.peerpod import host_peerpod
from controllers.peerpod.provider import AuthFailed
from controllers.peerpodconfig import host_peerpodconfig
from controllers.peerpodconfig.webhook.names import CONFIGURATION
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE, PEER_POD_FINALIZER
from controllers.podmutator import PATH
from examples.managers.polling_manager import PollingManager
from framework.apiserver.server import ApiServer
from framework.testing.control_plane.waiting import wait_until
from tests.component.peerpod.stage import Cloud, provider_of
from tests.component.peerpodconfig.test_embedding import KEY, OPTIONS, WORKER, filled, numbers
from tests.unit.controllers.podmutator.reviews import container, pod, review

SERVED = msgspec.structs.replace(OPTIONS, webhook_mode="in-process", webhook_url="https://127.0.0.1:9443")


class Foreign:
    def __init__(self) -> None:
        self.client, self.cloud = filled(ApiServer()), Cloud()
        self.manager = PollingManager(self.client)
        host_peerpodconfig(self.manager, SERVED)
        host_peerpod(self.manager, SERVED, {"aws": provider_of(self.cloud)})

    def until(self, holds: Callable[[], bool]) -> None:
        assert wait_until(holds, limit_seconds=60)

    def add_peer_pod(self) -> Key:
        metadata = ObjectMeta(name="one", namespace="operands", finalizers=[PEER_POD_FINALIZER])
        spec = PeerPodSpec(cloud_provider="aws", instance_id="vm-1")
        return self.client.create(PeerPod(metadata=metadata, spec=spec)).key


@pytest.fixture
def foreign() -> Iterator[Foreign]:
    made = Foreign()
    # Of a config that was taken away by force while nobody looked.
    made.client.create(Node(metadata=ObjectMeta(name="left", labels={CONFIG_LABEL: "of-nobody"})))
    made.manager.start()
    yield made
    made.manager.stop()


def test_a_config_is_rolled_out_follows_its_nodes_and_goes(foreign: Foreign) -> None:
    environment, client = dict(os.environ), foreign.client
    foreign.until(lambda: numbers(client)[:2] == ["3", "2"])
    foreign.until(lambda: client.get(PeerPodConfig, KEY).status.setup_completed is True)

    client.create(Node(metadata=ObjectMeta(name="c", labels=WORKER)))
    foreign.until(lambda: numbers(client)[:3] == ["2", "2", "1"])
    spoilt = {"status": {"capacity": {EXTENDED_RESOURCE: "0"}}}
    client.merge_patch(Node, Key("", "a"), spoilt, subresource="status")
    foreign.until(lambda: numbers(client)[:3] == ["2", "2", "1"])
    foreign.until(lambda: CONFIG_LABEL not in client.get(Node, Key("", "left")).metadata.labels)
    client.delete(PeerPodConfig, KEY)

    foreign.until(lambda: client.list(PeerPodConfig) == [])
    assert numbers(client) == [None] * 4
    assert client.list(CONFIGURATION) == []
    assert dict(os.environ) == environment


def test_the_webhook_is_handed_to_the_manager_and_the_server_is_told_of_it(foreign: Foreign) -> None:
    foreign.until(lambda: foreign.client.list(CONFIGURATION) != [])

    answer = foreign.manager.webhooks[PATH](review(pod(container())))

    assert answer["response"]["allowed"]
    assert "patch" in answer["response"]


def test_a_vm_goes_when_its_credentials_are_good_again(foreign: Foreign) -> None:
    foreign.cloud.always(AuthFailed("nobody of that name"))
    key = foreign.add_peer_pod()
    foreign.until(lambda: foreign.client.get(PeerPod, key).status.settings_ref is not None)
    foreign.client.delete(PeerPod, key)
    foreign.until(lambda: foreign.client.get(PeerPod, key).status.attempts == 1)
    foreign.cloud.fails_with()

    foreign.client.merge_patch(ConfigMap, Key("operands", "peer-pods-cm"), {"data": {"REGION": "west"}})

    foreign.until(lambda: foreign.client.list(PeerPod) == [])
    assert foreign.cloud.ids[-1] == "vm-1"
