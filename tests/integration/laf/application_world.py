"""One process that hosts the controller of Applications, and a test that plays the one of Instances."""

import uuid
from contextlib import suppress
from typing import Any, Self

import msgspec

from apis.core.v1 import Namespace
from apis.events.v1 import Event
from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import Bundle, BundleSpec
from apis.laf.instance import Instance
from apis.laf.runtime import Runtime, RuntimeSpec
from apis.meta import Condition, Key, KubeObject, ObjectMeta, ResourceType, Unstructured
from framework.client import Client
from framework.clock import SystemClock
from framework.errors import NotFound
from framework.informers import SharedInformer
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.store import Change
from tests.integration.laf.manifests import BUNDLE, RUNTIME
from tests.integration.requeststate.processes import eventually

INSTANCE_FINALIZER = "instance.finalizers.laf.dev"


def new_appid() -> str:
    return f"a{uuid.uuid4().hex[:9]}"


class World:
    def __init__(self, client: Client, system: str) -> None:
        self.client = client
        self.system = system

    # The catalogue.

    def offer_bundle(self, name: str = "small", **fields: Any) -> None:
        spec = msgspec.convert({**BUNDLE["spec"], **fields}, BundleSpec)
        self.client.create(Bundle(metadata=ObjectMeta(name=name, namespace=self.system), spec=spec))

    def offer_runtime(self, name: str = "node18", **fields: Any) -> None:
        spec = msgspec.convert({**RUNTIME["spec"], **fields}, RuntimeSpec)
        self.client.create(Runtime(metadata=ObjectMeta(name=name, namespace=self.system), spec=spec))

    # Applications.

    def create(self, namespace: str, name: str = "shop", **fields: Any) -> Key:
        wanted = {"appid": new_appid(), "region": "east", "bundleName": "small", "runtimeName": "node18", **fields}
        metadata = ObjectMeta(name=name, namespace=namespace)
        self.client.create(Application(metadata=metadata, spec=msgspec.convert(wanted, ApplicationSpec)))
        return Key(namespace, name)

    def application(self, key: Key) -> Application:
        return self.client.get(Application, key)

    def spec(self, key: Key) -> ApplicationSpec:
        spec = self.application(key).spec
        assert spec is not None
        return spec

    def edit(self, kind: type[KubeObject], key: Key, **spec: Any) -> None:
        self.client.merge_patch(kind, key, {"spec": spec})

    def reaches(self, key: Key, phase: str) -> None:
        eventually(lambda: self.application(key).status.state == phase, f"{key} is {phase}")

    def tells(self, key: Key, condition: str, status: str, reason: str) -> None:
        wanted = (status, reason)
        eventually(lambda: self.condition(key, condition)[:2] == wanted, f"{key} tells {condition}={status}/{reason}")

    def condition(self, key: Key, condition: str) -> tuple[str, str, str]:
        """Status, reason and message."""
        return _condition(self.application(key).status.conditions, condition)

    def events(self, key: Key, reason: str) -> list[str]:
        """The types of those of this reason."""
        found = self.client.list(Event, key.namespace)
        return [each.type for each in found if (each.reason, each.regarding.name) == (reason, key.name)]

    def is_gone(self, kind: type[KubeObject] | ResourceType, key: Key) -> bool:
        try:
            self.client.get(kind, key)
        except NotFound:
            return True
        return False

    def runs(self, namespace: str, name: str = "shop", **fields: Any) -> Key:
        """The key of a new Application that runs."""
        key = self.create(namespace, name, **fields)
        self.reaches(key, "Starting")
        self.play_ready(key)
        self.reaches(key, "Running")
        return key

    def clear(self, namespace: str) -> None:
        """Nothing is left behind that the next process on this hub would have to do with."""
        self.client.delete_collection(Application, namespace)
        eventually(lambda: not self._is_left(namespace), f"nothing is left in {namespace}")

    def _is_left(self, namespace: str) -> bool:
        for instance in self.client.list(Instance, namespace):
            if instance.metadata.is_being_deleted and instance.metadata.finalizers:
                with suppress(NotFound):
                    self.client.merge_patch(Instance, instance.key, {"metadata": {"finalizers": None}})
        return bool(self.client.list(Application, namespace))

    # The controller of Instances, as the test plays it.

    def instance(self, key: Key) -> Instance:
        return self.client.get(Instance, key)

    def play_ready(self, key: Key, status: str = "True", reason: str = "Ready", message: str = "") -> None:
        """Placed, finalized, and as ready as is said, in its current generation."""
        self.client.merge_patch(Instance, key, {"metadata": {"finalizers": [INSTANCE_FINALIZER]}})
        self.play(key, status, reason, message, clusterUID="some-cluster")

    def play(self, key: Key, status: str, reason: str, message: str = "", **fields: Any) -> None:
        ready = Condition(
            type="Ready",
            status=status,
            reason=reason,
            message=message,
            last_transition_time=SystemClock().now().replace(microsecond=0),
        )
        instance = self.instance(key)
        told = {"conditions": msgspec.to_builtins([ready]), "observedGeneration": instance.metadata.generation}
        self.client.merge_patch(Instance, key, {"status": {**told, **fields}}, subresource="status")

    def let_go(self, key: Key) -> None:
        """The Instance that is being deleted."""
        eventually(lambda: self.instance(key).metadata.is_being_deleted, "the Instance is being deleted")
        self.client.merge_patch(Instance, key, {"metadata": {"finalizers": None}})

    # Dependencies.

    def dependency(self, kind: ResourceType, key: Key) -> Unstructured:
        found: Unstructured = self.client.get(kind, key)
        return found

    def play_dependency_ready(self, kind: ResourceType, key: Key) -> None:
        eventually(lambda: not self.is_gone(kind, key), f"{kind.name} {key} is there")
        status = {"conditions": [{"type": "Ready", "status": "True"}], "connectionUri": "mongodb://u:TOPSECRET@db"}
        self.client.merge_patch(kind, key, {"status": status}, subresource="status")

    def create_foreign(self, kind: ResourceType, key: Key, **spec: Any) -> Unstructured:
        content = {"metadata": {"name": key.name, "namespace": key.namespace}, "spec": spec}
        return self.client.create(Unstructured(content=content), kind=kind)


class PhaseWatch:
    """Every phase that one Application is seen in, in their order."""

    def __init__(self, client: Client, key: Key) -> None:
        self._key = key
        self.phases: list[str] = []
        self._informer: SharedInformer[Application] = SharedInformer(
            Application, client=client, clock=SystemClock(), runtime=ThreadRuntime(), random=system_random()
        )
        self._informer.add_handler(self)

    def __enter__(self) -> Self:
        self._informer.start()
        eventually(lambda: self._informer.has_synced, "phases are watched")
        return self

    def __exit__(self, *_: object) -> None:
        self._informer.close()

    def on_change(self, change: Change[Application]) -> None:
        phase = change.new.status.state if change.key == self._key and change.new is not None else None
        if phase is not None and self.phases[-1:] != [phase]:
            self.phases.append(phase)


def make_system(client: Client) -> str:
    name = f"laf-system-{uuid.uuid4().hex[:8]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    return name


def _condition(conditions: list[Condition], condition: str) -> tuple[str, str, str]:
    found = [each for each in conditions if each.type == condition]
    return (found[0].status, found[0].reason, found[0].message) if found else ("", "", "")
