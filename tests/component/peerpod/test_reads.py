"""What a change of one PeerPod costs the server."""

from apis.confidentialcontainers.peerpod import PeerPod, PeerPodSpec
from apis.meta import Key, ObjectMeta
from controllers.peerpod import register_peerpod
from controllers.peerpods.names import PEER_POD_FINALIZER
from framework.apiserver.server import ApiServer
from framework.client import Access, Observer
from framework.manager import Manager
from framework.testing.control_plane.waiting import wait_until
from tests.component.peerpod.stage import Cloud, provider_of
from tests.component.peerpodconfig.test_embedding import OPTIONS, filled

NAMESPACE = OPTIONS.namespace
LIMIT_SECONDS = 60.0


class Lists(Observer):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def sending(self, access: Access) -> None:
        if access.verb in {"list", "watch"}:
            self.seen.append(f"{access.verb} {access.resource_type.plural}")


def peer_pod(name: str) -> PeerPod:
    metadata = ObjectMeta(name=name, namespace=NAMESPACE, finalizers=[PEER_POD_FINALIZER])
    return PeerPod(metadata=metadata, spec=PeerPodSpec(cloud_provider="aws", instance_id=f"vm-{name}"))


def test_nothing_is_listed_when_a_peer_pod_changes() -> None:
    cloud, lists = Cloud(), Lists()
    client = filled(ApiServer())
    manager = Manager(client.observed_by(lists))
    register_peerpod(manager, OPTIONS, {"aws": provider_of(cloud)})
    for name in ("one", "two", "three"):
        client.create(peer_pod(name))
    manager.start()
    try:
        assert wait_until(
            lambda: all(each.status.settings_ref for each in client.list(PeerPod)), limit_seconds=LIMIT_SECONDS
        )
        lists.seen.clear()

        client.delete(PeerPod, Key(NAMESPACE, "one"))
        assert wait_until(lambda: len(client.list(PeerPod)) == 2, limit_seconds=LIMIT_SECONDS)

        assert cloud.ids == ["vm-one"]
        assert lists.seen == []
    finally:
        manager.stop()
