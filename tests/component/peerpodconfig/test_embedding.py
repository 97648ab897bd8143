"""The reconciler in a program of somebody else, and what it must be allowed to do."""

import os

import msgspec
import pytest

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import ConfigMap, Namespace, Node
from apis.meta import Key, ObjectMeta, Request
from apis.registry import PEER_POD_KINDS
from controllers.definitions import install_crds
from controllers.peerpodconfig import PeerPodConfigReconciler, register_peerpodconfig
from controllers.peerpodconfig.webhook import WebhookRollout
from controllers.peerpodconfig.webhook.names import CONFIGURATION
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE
from controllers.peerpods.options import PeerPodOptions
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client
from framework.clock import SystemClock
from framework.errors import NotFound
from framework.manager import Manager
from framework.rights import AccessRecorder, compare
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until

OPTIONS = PeerPodOptions(namespace="operands", webhook_mode="disabled", gather_seconds=0.0)
KEY = Key("operands", "config")
WORKER = {"node.kubernetes.io/worker": ""}


def filled(server: ApiServer) -> Client:
    client = in_process_client(server)
    install_crds(client, PEER_POD_KINDS)
    client.create(Namespace(metadata=ObjectMeta(name="operands")))
    settings = ObjectMeta(name="peer-pods-cm", namespace="operands")
    client.create(ConfigMap(metadata=settings, data={"CLOUD_PROVIDER": "aws"}))
    for name in ("a", "b"):
        client.create(Node(metadata=ObjectMeta(name=name, labels=WORKER)))
    spec = PeerPodConfigSpec(cloud_secret_name="none", config_map_name="peer-pods-cm", limit="5")
    client.create(PeerPodConfig(metadata=ObjectMeta(name=KEY.name, namespace=KEY.namespace), spec=spec))
    return client


def numbers(client: Client) -> list[str | None]:
    return [node.status.capacity.get(EXTENDED_RESOURCE) for node in client.list(Node)]


def test_a_reconciler_needs_no_manager_and_two_of_them_do_not_know_each_other() -> None:
    environment = dict(os.environ)
    clients = [filled(ApiServer()) for _ in range(2)]
    first, second = (PeerPodConfigReconciler(client, OPTIONS) for client in clients)

    first.reconcile(Request(KEY))
    assert [numbers(client) for client in clients] == [["3", "2"], [None, None]]
    second.reconcile(Request(KEY))
    assert [numbers(client) for client in clients] == [["3", "2"]] * 2
    assert clients[0].get(PeerPodConfig, KEY).status.setup_completed is True
    clients[0].delete(PeerPodConfig, KEY)
    first.reconcile(Request(KEY))

    with pytest.raises(NotFound):
        clients[0].get(PeerPodConfig, KEY)
    assert [numbers(client) for client in clients] == [[None, None], ["3", "2"]]
    assert all(CONFIG_LABEL not in node.metadata.labels for node in clients[0].list(Node))
    assert dict(os.environ) == environment


def test_what_is_declared_is_needed_and_enough() -> None:
    client, recorder = filled(ApiServer()), AccessRecorder(ThreadRuntime())
    # As a process has left it that had another mode.
    left = msgspec.structs.replace(OPTIONS, webhook_mode="deployment", webhook_image="windlass:1")
    WebhookRollout(client, left, clock=SystemClock()).apply(client.list(PeerPodConfig))
    manager = Manager(client.observed_by(recorder))
    register_peerpodconfig(manager, OPTIONS)
    manager.start()
    try:
        assert wait_until(lambda: client.get(PeerPodConfig, KEY).status.setup_completed is True, limit_seconds=60)
        client.merge_patch(PeerPodConfig, KEY, {"spec": {"configMapName": "none"}})
        assert wait_until(lambda: client.get(PeerPodConfig, KEY).status.setup_completed is False, limit_seconds=60)
        client.delete(PeerPodConfig, KEY)
        assert wait_until(lambda: client.list(PeerPodConfig) == [], limit_seconds=60)
        assert client.list(CONFIGURATION) == []
        needs = manager.needs("peerpodconfig")
    finally:
        manager.stop()

    found = compare(needs, recorder.seen)

    assert found.undeclared == ()
    # An apply that creates is a patch to us, and also a create to the server, which asks for the finalizers of owners;
    # caches are read by watches where the server can do that; and it is the recorder's affair how events are written.
    unused = {right for right in found.unused if not right.startswith(("list ", "get ")) and "events" not in right}
    assert unused <= {"create daemonsets.apps", "update peerpodconfigs.confidentialcontainers.org/finalizers"}


def test_a_config_that_was_stored_when_anything_was_allowed_stops_nobody() -> None:
    client = filled(ApiServer())
    bad = {"metadata": {"name": "old", "namespace": "operands"}, "spec": {"nodeSelector": {"a": 1}}}
    client.apply(PeerPodConfig, bad)
    reconciler = PeerPodConfigReconciler(client, msgspec.structs.replace(OPTIONS))

    reconciler.reconcile(Request(Key("operands", "old")))
    reconciler.reconcile(Request(KEY))

    assert client.get(PeerPodConfig, Key("operands", "old")).status.setup_completed is False
    assert numbers(client) == ["3", "2"]
