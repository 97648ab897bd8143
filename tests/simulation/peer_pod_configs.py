"""Nodes that are divided between configs, which come, change, compete and go."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import ConfigMap, Namespace, Node
from apis.meta import Key, ObjectMeta
from apis.registry import PEER_POD_KINDS
from apis.schema import crds_of
from controllers.peerpodconfig import register_peerpodconfig
from controllers.peerpods.names import EXTENDED_RESOURCE
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client
from framework.errors import NotFound
from framework.manager import Manager
from framework.testing.simulation import Limits, Scenario, User

OPERANDS, TENANT = "operands", "tenant"
# Certificates are never twice the same.
OPTIONS = PeerPodOptions(namespace=OPERANDS, webhook_mode="disabled")
OLDER, YOUNGER = Key(OPERANDS, "older"), Key(TENANT, "younger")
WORKER, SHARED = {"node.kubernetes.io/worker": ""}, {"shared": "yes"}


def config(key: Key, **spec: Any) -> PeerPodConfig:
    wanted = PeerPodConfigSpec(cloud_secret_name="peer-pods-secret", config_map_name="peer-pods-cm", **spec)
    return PeerPodConfig(metadata=_metadata(key), spec=wanted)


def _metadata(key: Key) -> ObjectMeta:
    return ObjectMeta(name=key.name, namespace=key.namespace)


def _prepare(client: Client) -> None:
    for name in (OPERANDS, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))
    settings = {"CLOUD_PROVIDER": "aws"}
    client.create(ConfigMap(metadata=_metadata(Key(OPERANDS, "peer-pods-cm")), data=settings))
    for name in ("a", "b"):
        client.create(Node(metadata=ObjectMeta(name=name, labels={**WORKER, **SHARED})))


def _register(manager: Manager) -> None:
    register_peerpodconfig(manager, OPTIONS)


def peer_pod_configs(_folder: Path) -> Scenario:
    """A node joins, two configs want the same ones, settings turn bad and good, the older one goes, one is spoilt."""

    def workload(user: User) -> None:
        user.client.create(config(OLDER, limit="5"))
        user.wait_until(lambda: _has_its_name(user))
        user.wait_until_quiet()
        user.client.create(Node(metadata=ObjectMeta(name="c", labels=WORKER)))
        user.client.create(config(YOUNGER, limit="2000", node_selector=SHARED))
        user.wait_until_quiet()
        _set_provider(user, "Aws")
        user.client.merge_patch(Node, Key("", "b"), {"metadata": {"labels": {"node.kubernetes.io/worker": None}}})
        user.wait_until_quiet()
        _set_provider(user, "aws")
        user.wait_until_quiet()
        with suppress(NotFound):
            user.client.delete(PeerPodConfig, OLDER)
        user.wait_until_quiet()
        # Last, and alone: who writes to the node for another reason, before it has seen this, undoes it unseen.
        numbers = {place: {EXTENDED_RESOURCE: "0"} for place in ("capacity", "allocatable")}
        user.client.merge_patch(Node, Key("", "a"), {"status": numbers}, subresource="status")

    return Scenario(
        {"controller": _register},
        workload,
        definitions=crds_of(PEER_POD_KINDS),
        prepare=_prepare,
        depends_on_when=True,
        # Longer than settings that cannot be used are left alone, and than a key is held after a lost answer.
        quiet_seconds=200.0,
        limits=Limits(requests_per_minute=600),
    )


def _has_its_name(user: User) -> bool:
    """The usual name of a DaemonSet goes to whoever comes first, even if a younger config is first to be seen."""
    found = [each for each in user.client.list(PeerPodConfig, OLDER.namespace) if each.key == OLDER]
    return not found or bool(found[0].status.daemon_set_name)


def _set_provider(user: User, name: str) -> None:
    user.client.merge_patch(ConfigMap, Key(OPERANDS, "peer-pods-cm"), {"data": {"CLOUD_PROVIDER": name}})
