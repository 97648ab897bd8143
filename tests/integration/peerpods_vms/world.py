"""What one test sees: pods with PeerPods, settings of a cloud, and a manager in this process."""

import uuid
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod, PeerPodSpec
from apis.core.v1 import ConfigMap, Namespace, Secret
from apis.meta import GroupVersionKind, Key, ObjectMeta, OwnerReference, ResourceType, Unstructured
from controllers.peerpod import register_peerpod
from controllers.peerpods.names import PEER_POD_FINALIZER
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.conditions import find_condition
from framework.errors import Conflict, Forbidden, NotFound
from framework.manager import Manager, ManagerOptions
from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.integration.peerpods.account import Account
from tests.integration.peerpods_vms.ec2 import REGION, Ec2

LIMIT_SECONDS = 60.0
KEY_ID, SECRET_KEY = "AKIDOFTHECANARY12345", "canary/of/the/secret/key+0123456789abcdef"
PODS = ResourceType(GroupVersionKind("", "v1", "Pod"), "pods")
# Of somebody else, who wants to see the last of it.
KEPT = "tests.windlass.dev/kept"
EVENTS = ResourceType(GroupVersionKind("events.k8s.io", "v1", "Event"), "events")


class Ahead(SystemClock):
    """A clock for which everything is a minute older than it is."""

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=60)


class World:
    def __init__(self, cluster: Cluster, ec2: Ec2) -> None:
        self._cluster = cluster
        self.ec2 = ec2
        self.client = self.connected()
        suffix = uuid.uuid4().hex[:8]
        self.system, self.namespace = f"peerpods-{suffix}", f"tenant-{suffix}"
        for name in (self.system, self.namespace):
            self.client.create(Namespace(metadata=ObjectMeta(name=name)))
        self._account = Account(cluster, self.client, self.system)
        self._managers: list[Manager] = []

    def close(self) -> None:
        self.stop_manager()
        self._account.revoke()
        for name in (self.system, self.namespace):
            with suppress(NotFound, Conflict):
                self.client.delete(Namespace, Key("", name))
        # A PeerPod that nobody looks after would keep its namespace for ever.
        for each in self.client.list(PeerPod, self.namespace):
            self.client.merge_patch(PeerPod, each.key, {"metadata": {"finalizers": None}})
        self.client.connection.close()

    # What the administrator does.

    def add_settings(self, region: str = REGION, key_id: str = KEY_ID, **values: str) -> None:
        public = {"CLOUD_PROVIDER": "aws", "AWS_REGION": region, "AWS_ENDPOINT_URL_EC2": self.ec2.url, **values}
        self.client.create(ConfigMap(metadata=self._in_system("peer-pods-cm"), data=public))
        self.add_secret(key_id)

    def add_secret(self, key_id: str = KEY_ID) -> None:
        secret = {"AWS_ACCESS_KEY_ID": key_id.encode(), "AWS_SECRET_ACCESS_KEY": SECRET_KEY.encode()}
        self.client.create(Secret(metadata=self._in_system("peer-pods-secret"), data=secret))

    def replace_key_id(self, key_id: str) -> None:
        change = {"data": {"AWS_ACCESS_KEY_ID": b64encode(key_id.encode()).decode()}}
        self.client.merge_patch(Secret, Key(self.system, "peer-pods-secret"), change)

    def start_manager(self, clock: SystemClock | None = None, **options: Any) -> Manager:
        """With the rights that it declares, and no others."""
        scope = ManagerOptions(namespaces=(self.namespace,), grace_period_seconds=10.0)
        manager = Manager(self._account.connected(), options=scope, clock=clock)
        register_peerpod(manager, PeerPodOptions(namespace=self.system, **options))
        # In all namespaces: a Role would go with the namespace of PeerPods whose VMs are still there.
        self._account.grant(manager)
        manager.start()
        self._managers.append(manager)
        peer_pods = manager.informer(PeerPod)
        # What is made from now on arrives one by one, and not in a list without an order.
        self.eventually(lambda: peer_pods.has_synced, "PeerPods are not known yet")
        return manager

    def stop_manager(self) -> None:
        while self._managers:
            self._managers.pop().stop()

    # What users and the adaptor do.

    def add_pod(self, name: str = "shop") -> str:
        """Its uid."""
        spec = {"containers": [{"name": "main", "image": "registry.example/app:1"}], "schedulerName": "nobody"}
        metadata = ObjectMeta(name=name, namespace=self.namespace)
        content = {"apiVersion": "v1", "kind": "Pod", "metadata": msgspec.to_builtins(metadata), "spec": spec}
        made: list[Unstructured] = []

        def is_made() -> bool:
            # Refused until the namespace has its service account.
            with suppress(Forbidden):
                made.append(self.client.create(Unstructured(metadata=metadata, content=content), kind=PODS))
            return bool(made)

        self.eventually(is_made, "the pod is refused")
        return made[0].metadata.uid

    def delete_pod(self, name: str = "shop", *, foreground: bool = False) -> None:
        self.client.delete(PODS, Key(self.namespace, name), propagation="Foreground" if foreground else None)

    def add_peer_pod(
        self, name: str, instance: str, *, pod: str = "", pod_uid: str = "", provider: str = "aws"
    ) -> PeerPod:
        owner = OwnerReference(
            api_version="v1", kind="Pod", name=pod, uid=pod_uid, controller=True, block_owner_deletion=True
        )
        metadata = ObjectMeta(
            name=name,
            namespace=self.namespace,
            finalizers=[PEER_POD_FINALIZER],
            owner_references=[owner] if pod else [],
        )
        return self.client.create(
            PeerPod(metadata=metadata, spec=PeerPodSpec(cloud_provider=provider, instance_id=instance))
        )

    def delete(self, name: str) -> None:
        self.client.delete(PeerPod, self.key(name))

    def keep(self, name: str) -> None:
        """After it is let go it is still there to be looked at."""
        self.client.json_patch(
            PeerPod, self.key(name), [{"op": "add", "path": "/metadata/finalizers/-", "value": KEPT}]
        )

    def let_go(self, name: str) -> None:
        finalizers = [each for each in self.finalizers(name) if each != KEPT]
        self.client.merge_patch(PeerPod, self.key(name), {"metadata": {"finalizers": finalizers}})

    def annotate(self, name: str, annotation: str, value: str) -> None:
        self.client.merge_patch(PeerPod, self.key(name), {"metadata": {"annotations": {annotation: value}}})

    # What people see.

    def pods(self) -> list[str]:
        found: list[Unstructured] = self.client.list(PODS, self.namespace)
        return [each.metadata.name for each in found]

    def finalizers(self, name: str) -> list[str]:
        return self.get(name).metadata.finalizers

    def key(self, name: str) -> Key:
        return Key(self.namespace, name)

    def find(self, name: str) -> PeerPod | None:
        try:
            return self.client.get(PeerPod, self.key(name))
        except NotFound:
            return None

    def get(self, name: str) -> PeerPod:
        found = self.find(name)
        assert found is not None, f"{name} is gone"
        return found

    def reason(self, name: str) -> str:
        found = self.find(name)
        condition = find_condition(found.status.conditions, "VMDeleted") if found else None
        return condition.reason if condition else ""

    def expect_gone(self, *names: str) -> None:
        def left() -> list[str]:
            return [name for name in names if self.find(name) is not None]

        self.eventually(lambda: not left(), lambda: f"there are {[self.find(name) for name in left()]}")

    def expect_reason(self, name: str, reason: str) -> None:
        self.eventually(lambda: self.reason(name) == reason, lambda: f"not {reason}: {self.find(name)}")

    def events(self, name: str) -> list[str]:
        return [each.content["reason"] for each in self._events() if each.content["regarding"]["name"] == name]

    def all_events(self) -> list[str]:
        return [repr(each.content) for each in self._events()]

    def _events(self) -> list[Unstructured]:
        found: list[Unstructured] = self.client.list(EVENTS, self.namespace)
        return found

    def wait_for_second_after(self, peer_pod: PeerPod) -> None:
        """What is made from now on has a later creation time."""
        created = peer_pod.metadata.creation_timestamp
        assert created is not None
        clock = SystemClock()
        self.eventually(lambda: clock.now() >= created + timedelta(seconds=1.2), "time stands still")

    def expect_event(self, name: str, reason: str) -> None:
        self.eventually(lambda: reason in self.events(name), lambda: f"no {reason}: {self.events(name)}")

    def eventually(self, holds: Callable[[], bool], why: Callable[[], str] | str) -> None:
        if not wait_until(holds, limit_seconds=LIMIT_SECONDS):
            raise AssertionError(why if isinstance(why, str) else why())

    def _in_system(self, name: str) -> ObjectMeta:
        return ObjectMeta(name=name, namespace=self.system)

    def connected(self) -> Client:
        return connect(from_kubeconfig(str(self._cluster.kubeconfig), clock=SystemClock()))
