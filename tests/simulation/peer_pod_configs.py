"""Nodes that are divided between configs, which come, change, compete and go."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import ConfigMap, Namespace, Node
from apis.meta import Key, ObjectMeta, Unstructured, resource_type_of
from apis.meta.quantity import parse_quantity
from apis.registry import PEER_POD_KINDS
from apis.schema import crds_of
from controllers.peerpodconfig import register_peerpodconfig
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client
from framework.errors import NotFound
from framework.manager import Manager
from framework.testing.simulation import Limits, Scenario, User

OPERANDS, TENANT = "operands", "tenant"
# Certificates are never twice the same.
# Without a resync in between, which would hide what is forgotten.
OPTIONS = PeerPodOptions(namespace=OPERANDS, webhook_mode="disabled", resync_seconds=86_400.0)
OLDER, YOUNGER = Key(OPERANDS, "older"), Key(TENANT, "younger")
WORKER, SHARED = {"node.kubernetes.io/worker": ""}, {"shared": "yes"}
# The names of the settings of each, and their cloud: what one uses must not be that of the other.
SETTINGS = {OLDER: "peer-pods-cm", YOUNGER: "younger-cm"}
CLOUDS = {OLDER: "aws", YOUNGER: "azure"}


def config(key: Key, **spec: Any) -> PeerPodConfig:
    wanted = PeerPodConfigSpec(cloud_secret_name="peer-pods-secret", config_map_name=SETTINGS[key], **spec)
    return PeerPodConfig(metadata=_metadata(key), spec=wanted)


def _metadata(key: Key) -> ObjectMeta:
    return ObjectMeta(name=key.name, namespace=key.namespace)


def _prepare(client: Client) -> None:
    for name in (OPERANDS, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))
    for key, name in SETTINGS.items():
        client.create(ConfigMap(metadata=_metadata(Key(OPERANDS, name)), data={"CLOUD_PROVIDER": CLOUDS[key]}))
    for name in ("a", "b"):
        client.create(Node(metadata=ObjectMeta(name=name, labels={**WORKER, **SHARED})))


def _register(manager: Manager) -> None:
    register_peerpodconfig(manager, OPTIONS)


def peer_pod_configs(_folder: Path) -> Scenario:
    """A node joins, two configs want the same ones, settings turn bad and good, the older one goes, one is spoilt."""

    def workload(user: User) -> None:
        user.client.create(config(OLDER, limit="5"))
        user.wait_until(lambda: _has_its_name(user))
        _expect(user, {OLDER: {"a": 3, "b": 2}})
        user.client.create(Node(metadata=ObjectMeta(name="c", labels=WORKER)))
        user.client.create(Node(metadata=ObjectMeta(name="d", labels=SHARED)))
        user.client.create(config(YOUNGER, limit="3000", node_selector=SHARED))
        _expect(user, {OLDER: {"a": 2, "b": 2, "c": 1}, YOUNGER: {"d": 3000}})
        _set_providers(user, {key: name.capitalize() for key, name in CLOUDS.items()})
        user.client.merge_patch(Node, Key("", "b"), {"metadata": {"labels": {"node.kubernetes.io/worker": None}}})
        user.wait_until_quiet()
        before = _digest(user)
        _set_providers(user, CLOUDS, REGION="west")
        _expect(user, {OLDER: {"a": 3, "c": 2}, YOUNGER: {"b": 1500, "d": 1500}})
        user.wait_until(lambda: _digest(user) != before)
        with suppress(NotFound):
            user.client.delete(PeerPodConfig, OLDER)
        _expect(user, {YOUNGER: {"a": 1000, "b": 1000, "d": 1000}})
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


def _expect(user: User, wanted: Mapping[Key, Mapping[str, int]]) -> None:
    """Every config that is there, with its own cloud, its nodes and their numbers; and no other node has one."""
    user.wait_until_quiet()
    user.wait_until(lambda: _seen(user) == wanted)


def _seen(user: User) -> dict[Key, dict[str, int]]:
    keys = {each.metadata.uid: _key_if_its_cloud_is_right(each) for each in user.client.list(PeerPodConfig)}
    found: dict[Key, dict[str, int]] = {key: {} for key in keys.values()}
    for node in user.client.list(Node):
        number, owner = node.status.capacity.get(EXTENDED_RESOURCE), node.metadata.labels.get(CONFIG_LABEL, "")
        if number is not None or owner:
            of_owner = found.setdefault(keys.get(owner, Key("", owner)), {})
            of_owner[node.metadata.name] = int(parse_quantity(number or "-1").nanos // 10**9)
    return found


def _key_if_its_cloud_is_right(found: PeerPodConfig) -> Key:
    told = found.status.cloud_provider
    return found.key if told == CLOUDS[found.key] else Key(f"cloud {told}", found.metadata.name)


def _digest(user: User) -> list[str]:
    """Of what each DaemonSet was made from."""
    found: list[Unstructured] = user.client.list(resource_type_of(DaemonSet), OPERANDS)
    return sorted(str(each.content["spec"]["template"]["metadata"]["annotations"]) for each in found)


def _set_providers(user: User, names: Mapping[Key, str], **others: str) -> None:
    for key, name in names.items():
        data = {"CLOUD_PROVIDER": name, **others}
        user.client.merge_patch(ConfigMap, Key(OPERANDS, SETTINGS[key]), {"data": data})
