"""A cluster with a manager for peer pods, as its administrator sees it."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Namespace, Node, Pod, Secret
from apis.events.v1 import Event
from apis.meta import Condition, Key, ObjectMeta, Unstructured, resource_type_of
from controllers.peerpodconfig import register_peerpodconfig
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE
from controllers.peerpods.options import PeerPodOptions
from framework.client import Access, Client, Observer, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.conditions import find_condition
from framework.errors import NotFound
from framework.manager import Manager
from framework.rights import Right
from tests.cluster import Cluster
from tests.conftest import Kubectl
from tests.integration.peerpods.account import Account
from tests.integration.requeststate.processes import eventually

WORKER = {"node.kubernetes.io/worker": ""}
USUAL = "peerpodconfig-ctrl-caa-daemon"
_WRITES = ("create", "update", "patch", "delete", "deletecollection")
_CONFIGS = resource_type_of(PeerPodConfig)


class Writes(Observer):
    """What the manager wrote, events aside."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def sending(self, access: Access) -> None:
        is_review = access.resource_type.gvk.group == "authorization.k8s.io"
        if access.verb in _WRITES and access.resource_type.plural != "events" and not is_review:
            self.seen.append(f"{access.verb} {access.resource_type.plural} {access.name}")


class Site:
    def __init__(self, plane: Cluster, client: Client, kubectl: Kubectl, name: str) -> None:
        self.plane = plane
        self.client = client
        self.kubectl = kubectl
        self.name = name
        self.namespace = f"operands-{name}"
        self.elsewhere = f"elsewhere-{name}"
        self.options = PeerPodOptions(namespace=self.namespace, gather_seconds=0.1, webhook_mode="disabled")
        self.writes = Writes()
        self.account = Account(plane, client, f"peerpods-{name}")
        self.manager: Manager | None = None

    def start(self, *, without: Right | None = None, **changes: Any) -> None:
        """With the rights that the manager declares, *without* one."""
        self.manager = Manager(self.account.connected().observed_by(self.writes))
        register_peerpodconfig(self.manager, msgspec.structs.replace(self.options, **changes))
        self.account.grant(self.manager, without=without)
        self.manager.start()

    def stop(self) -> None:
        if self.manager is not None:
            self.manager.stop()
            self.manager = None

    def settings(self, name: str, **data: str) -> None:
        self.client.apply(ConfigMap, ConfigMap(metadata=self.named(name), data=data))

    def secret(self, name: str, **data: str) -> None:
        values = {key: value.encode() for key, value in data.items()}
        self.client.apply(Secret, Secret(metadata=self.named(name), data=values))

    def named(self, name: str) -> ObjectMeta:
        return ObjectMeta(name=name, namespace=self.namespace)

    def node(
        self,
        name: str,
        labels: Mapping[str, str] = WORKER,
        *,
        taints: Sequence[Mapping[str, str]] = (),
        is_ready: bool = True,
        **fields: Any,
    ) -> str:
        """Its name in the cluster, where nodes of other tests may be."""
        whole = self.node_name(name)
        metadata = {"name": whole, "labels": {"site": self.name, **labels}}
        content = {"metadata": metadata, **fields}
        self.client.create(Unstructured(content=content), kind=resource_type_of(Node))
        # The server makes each new one unready, and there is no kubelet to say that it is ready by now.
        if is_ready:
            self.client.merge_patch(Node, Key("", whole), {"spec": {"taints": list(taints)}})
        return whole

    def node_name(self, name: str) -> str:
        return f"{self.name}-{name}"

    def config(self, name: str = "config", namespace: str = "", **spec: Any) -> Key:
        key = Key(namespace or self.namespace, name)
        content = {"metadata": {"name": key.name, "namespace": key.namespace}, "spec": spec}
        self.client.create(Unstructured(content=content), kind=_CONFIGS)
        return key

    def change(self, key: Key, **spec: Any) -> None:
        self.client.merge_patch(PeerPodConfig, key, {"spec": spec})

    def status(self, key: Key) -> Any:
        found: Unstructured = self.client.get(_CONFIGS, key)
        return found.content.get("status", {})

    def condition(self, key: Key, condition_type: str) -> Condition | None:
        return find_condition(self.client.get(PeerPodConfig, key).status.conditions, condition_type)

    def says(self, key: Key, condition_type: str, status: str, reason: str) -> bool:
        found = self.condition(key, condition_type)
        return found is not None and (found.status, found.reason) == (status, reason)

    def message(self, key: Key, condition_type: str) -> str:
        found = self.condition(key, condition_type)
        return "" if found is None else found.message

    def is_set_up(self, key: Key) -> bool:
        found = self.client.get(PeerPodConfig, key)
        is_current = found.status.observed_generation == found.metadata.generation
        return found.status.setup_completed is True and is_current

    def get_node(self, name: str) -> Node:
        return self.client.get(Node, Key("", self.node_name(name)))

    def capacity(self, *names: str) -> list[str | None]:
        """Of each node; where capacity and allocatable differ, both."""
        found: list[str | None] = []
        for name in names:
            status = self.get_node(name).status
            capacity, allocatable = (each.get(EXTENDED_RESOURCE) for each in (status.capacity, status.allocatable))
            found.append(capacity if capacity == allocatable else f"{capacity} and {allocatable}")
        return found

    def owner(self, name: str) -> str | None:
        """The uid of the config that the node belongs to."""
        return self.get_node(name).metadata.labels.get(CONFIG_LABEL)

    def is_untouched(self, name: str) -> bool:
        return self.capacity(name) == [None] and self.owner(name) is None

    def daemon_set(self, name: str = USUAL) -> Any:
        """The whole of it; None if it is not there."""
        try:
            return self.client.get(resource_type_of(DaemonSet), Key(self.namespace, name)).content
        except NotFound:
            return None

    def container(self, name: str = USUAL) -> Any:
        return self.daemon_set(name)["spec"]["template"]["spec"]["containers"][0]

    def pods(self) -> set[str]:
        return {each.metadata.name for each in self.client.list(Pod, self.namespace)}

    def bind_pods(self) -> None:
        """In place of a scheduler: who makes pods for nodes follows only those that are on one."""
        found: list[Unstructured] = self.client.list(resource_type_of(Pod), self.namespace)
        for pod in found:
            affinity = pod.content["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            (target,) = affinity["nodeSelectorTerms"][0]["matchFields"][0]["values"]
            binding = {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"name": pod.metadata.name},
                "target": {"apiVersion": "v1", "kind": "Node", "name": target},
            }
            path = f"/api/v1/namespaces/{self.namespace}/pods/{pod.metadata.name}/binding"
            self.kubectl("create", "--raw", path, "-f", "-", input=json.dumps(binding), check=True)

    def has_pod_on(self, node: str) -> bool:
        """One that stays: there is no kubelet to end it."""
        name = self.node_name(node)
        found = self.client.list(Pod, self.namespace)
        return any(each.spec.node_name == name and not each.metadata.is_being_deleted for each in found)

    def event_reasons(self, key: Key) -> set[str]:
        uid = self.client.get(PeerPodConfig, key).metadata.uid
        return {each.reason for each in self.client.list(Event, key.namespace) if each.regarding.uid == uid}

    def is_gone(self, key: Key) -> bool:
        try:
            self.client.get(_CONFIGS, key)
        except NotFound:
            return True
        return False

    def wait_for_capacity(self, wanted: Mapping[str, str | None]) -> None:
        eventually(lambda: self.capacity(*wanted) == list(wanted.values()), f"{wanted}, not {self.capacity(*wanted)}")

    def wait_until_set_up(self, key: Key) -> None:
        eventually(lambda: self.is_set_up(key), f"set up, and not {json.dumps(self.status(key))}")


@contextmanager
def site_of(plane: Cluster, kubectl: Kubectl) -> Iterator[Site]:
    client = connect(from_kubeconfig(str(plane.kubeconfig), clock=SystemClock()))
    site = Site(plane, client, kubectl, uuid.uuid4().hex[:8])
    for name in (site.namespace, site.elsewhere):
        client.create(Namespace(metadata=ObjectMeta(name=name)))
    try:
        yield site
    finally:
        site.stop()
        site.account.revoke()
        _clear(site)
        client.connection.close()


def _clear(site: Site) -> None:
    """Whatever the test left: the next one shares configs and nodes with it."""
    client = site.client
    configs: list[Unstructured] = client.list(_CONFIGS)
    for config in configs:
        with suppress(NotFound):
            client.delete(_CONFIGS, config.key)
            client.merge_patch(_CONFIGS, config.key, {"metadata": {"finalizers": None}})
    client.delete_collection(Node, labels=f"site={site.name}")
    for name in (site.namespace, site.elsewhere):
        with suppress(NotFound):
            client.delete(Namespace, Key("", name))
