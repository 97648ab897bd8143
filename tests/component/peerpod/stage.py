"""A reconciler without a manager, on the embedded server, in a time that a test moves: each call is one reconcile."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, TypeVar, cast

import msgspec
from prometheus_client import CollectorRegistry

from apis.confidentialcontainers.peerpod import PeerPod, PeerPodSpec
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import ConfigMap, Namespace, Pod, Secret
from apis.meta import Key, KubeObject, ObjectMeta, OwnerReference, Request, Unstructured, resource_type_of
from apis.registry import PEER_POD_KINDS
from apis.schema import crds_of
from controllers.peerpod.arrivals import Arrivals
from controllers.peerpod.assembly import Parts, candidates_of, states_of
from controllers.peerpod.indexes import INDEXES
from controllers.peerpod.metrics import DeletionMetrics
from controllers.peerpod.provider import Accepted, CloudProvider, Hints, InvalidInstanceID, Outcome
from controllers.peerpod.registry import GivenProviders
from controllers.peerpods.names import PEER_POD_FINALIZER
from controllers.peerpods.options import PeerPodOptions
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client
from framework.conditions import find_condition
from framework.errors import NotFound
from framework.events import EventRecorder
from framework.informers import DEFINITIONS
from framework.listers import Lister
from framework.randomness import system_random
from framework.runtime import Task
from framework.store import Change, Entry
from tests.component.fuzz.single_thread import JumpingClock, SingleThreadRuntime

SYSTEM, TENANT = "peerpods-system", "tenant"
SECRET_KEY = "canary-4711-of-the-cloud"
PODS = resource_type_of(Pod)
T = TypeVar("T", bound=KubeObject)
Answer = Callable[[str, Hints], Outcome]


class _Ended:
    name = "ended"

    def is_alive(self) -> bool:
        return False

    def join(self, timeout: float | None = None) -> None:
        """It is over."""


class SettableClock(JumpingClock):
    def __init__(self) -> None:
        super().__init__()
        self._set_by = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._set_by)

    def set_by(self, seconds: float) -> None:
        self._set_by += seconds


class InlineRuntime(SingleThreadRuntime):
    """A task is over when it begins to be waited for."""

    def spawn(self, name: str, target: Callable[[], None]) -> Task:  # noqa: ARG002 - the contract
        target()
        return _Ended()


class LiveLister(Generic[T]):
    """What the server has now, in the shape of a cache."""

    def __init__(self, client: Client, kind: type[T], namespace: str = "") -> None:
        self._client, self._kind, self._namespace = client, kind, namespace

    def get(self, key: Key) -> T | None:
        return next((each for each in self.list() if each.key == key), None)

    def list(self) -> list[T]:
        return self._client.list(self._kind, self._namespace)

    def by_index(self, name: str, value: str) -> Sequence[T]:
        index = cast("Callable[[T], list[str]]", INDEXES[name])
        return [each for each in self.list() if value in index(each)]


class Recorder:
    def __init__(self) -> None:
        self.events: list[tuple[str, str, str]] = []
        self.notes: list[str] = []

    def record(self, about: KubeObject, event_type: str, reason: str, note: str, **_others: Any) -> None:
        self.events.append((about.metadata.name, event_type, reason))
        self.notes.append(note)


class Cloud:
    """Answers by a function that the test chooses; Accepted, unless it says otherwise."""

    def __init__(self) -> None:
        self.answer: Answer = lambda _id, _hints: Accepted()
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.closed: list[dict[str, str]] = []

    def fails_with(self, *errors: Exception) -> None:
        """Once with each, then it accepts."""
        left = list(errors)

        def answer(_id: str, _hints: Hints) -> Outcome:
            if left:
                raise left.pop(0)
            return Accepted()

        self.answer = answer

    def always(self, error: Exception) -> None:
        def answer(_id: str, _hints: Hints) -> Outcome:
            raise error

        self.answer = answer

    @property
    def ids(self) -> list[str]:
        return [instance for instance, _ in self.asked]


def provider_of(cloud: Cloud) -> type[CloudProvider]:
    class TestProvider:
        name: ClassVar[str] = "test"
        extra: ClassVar[str] = ""
        settings_keys: ClassVar[tuple[str, ...]] = ("KEY", "REGION")
        secret_keys: ClassVar[tuple[str, ...]] = ("KEY",)
        location_keys: ClassVar[tuple[str, ...]] = ("REGION", "URI")

        def __init__(self, settings: Mapping[str, str]) -> None:
            self.settings = dict(settings)

        def validate_instance_id(self, instance_id: str) -> None:
            if not instance_id.startswith("vm-"):
                raise InvalidInstanceID(f"{instance_id!r} is no id")

        def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:
            assert 0 < timeout_seconds <= 60
            cloud.asked.append((instance_id, self.settings))
            return cloud.answer(instance_id, hints)

        def close(self) -> None:
            cloud.closed.append(self.settings)

    return TestProvider


class Stage:
    def __init__(self, **options: Any) -> None:
        self.clock = SettableClock()
        self.runtime = InlineRuntime(self.clock)
        self.client = in_process_client(ApiServer(clock=self.clock, runtime=self.runtime, random=system_random()))
        for definition in crds_of(PEER_POD_KINDS):
            self.client.apply(DEFINITIONS, definition)
        for name in (SYSTEM, TENANT):
            self.client.create(Namespace(metadata=ObjectMeta(name=name)))
        self.cloud, self.recorder, self.metrics = Cloud(), Recorder(), CollectorRegistry()
        self.options = PeerPodOptions(namespace=SYSTEM, **options)
        self.restart()

    def restart(self) -> None:
        """A new life, which knows nothing of the one before."""
        self.stopping = self.runtime.event()
        self.metrics = CollectorRegistry()
        self.registry = GivenProviders({"test": provider_of(self.cloud)})
        self.arrivals = Arrivals(self.runtime, self.clock)
        self.peer_pods = self._lister(PeerPod)
        parts = Parts(
            peer_pods=self.peer_pods,
            configs=self._lister(PeerPodConfig),
            config_maps=self._lister(ConfigMap, SYSTEM),
            secrets=self._lister(Secret, SYSTEM),
            client=self.client,
            recorder=cast("EventRecorder", self.recorder),
            registry=self.registry,
            options=self.options,
            clock=self.clock,
            runtime=self.runtime,
            random=system_random(),
            stopping=self.stopping,
            metrics=DeletionMetrics(self.metrics, self.registry.names),
        )
        self.reconciler = states_of(parts, candidates_of(parts), self.arrivals)

    # What others do.

    def add_settings(self, name: str = "peer-pods", key: str = SECRET_KEY, **values: str) -> None:
        public = {"CLOUD_PROVIDER": "test", "REGION": "east", **values}
        self.client.create(ConfigMap(metadata=named(f"{name}-cm", SYSTEM), data=public))
        self.client.create(Secret(metadata=named(f"{name}-secret", SYSTEM), data={"KEY": key.encode()}))

    def add_config(self, name: str) -> PeerPodConfig:
        """With settings of its own name."""
        spec = PeerPodConfigSpec(cloud_secret_name=f"{name}-secret", config_map_name=f"{name}-cm")
        return self.client.create(PeerPodConfig(metadata=named(name, SYSTEM), spec=spec))

    def add_pod(self, name: str = "shop", node: str = "") -> str:
        metadata = named(name)
        spec = {"containers": [{"name": "main", "image": "app:1"}], "nodeName": node}
        content = {"apiVersion": "v1", "kind": "Pod", "metadata": msgspec.to_builtins(metadata), "spec": spec}
        return self.client.create(Unstructured(metadata=metadata, content=content), kind=PODS).metadata.uid

    def add(
        self,
        name: str = "one",
        instance: str = "vm-1",
        *,
        provider: str = "test",
        finalizers: tuple[str, ...] = (PEER_POD_FINALIZER,),
        owner: tuple[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> PeerPod:
        """*owner* is the name and uid of a pod."""
        owners = [] if owner is None else [pod_reference(*owner)]
        metadata = ObjectMeta(
            name=name,
            namespace=TENANT,
            finalizers=list(finalizers),
            owner_references=owners,
            annotations=dict(annotations or {}),
        )
        made = self.client.create(
            PeerPod(metadata=metadata, spec=PeerPodSpec(cloud_provider=provider, instance_id=instance))
        )
        self.arrive(made)
        return made

    def arrive(self, peer_pod: PeerPod) -> None:
        entry = Entry(peer_pod.key, peer_pod.metadata.uid, int(peer_pod.metadata.resource_version), b"{}")
        self.arrivals.note(Change(lambda _entry: peer_pod, None, entry))

    def delete(self, name: str = "one") -> None:
        self.client.delete(PeerPod, Key(TENANT, name))

    # What is judged.

    def reconcile(self, name: str = "one") -> float | None:
        """The seconds until the next look; None: at the next change."""
        return self.reconciler.reconcile(Request(Key(TENANT, name))).requeue_after_seconds

    def find(self, name: str = "one") -> PeerPod | None:
        try:
            return self.client.get(PeerPod, Key(TENANT, name))
        except NotFound:
            return None

    def get(self, name: str = "one") -> PeerPod:
        found = self.find(name)
        assert found is not None, f"{name} is gone"
        return found

    def reason(self, name: str = "one") -> str:
        condition = find_condition(self.get(name).status.conditions, "VMDeleted")
        return condition.reason if condition else ""

    def reasons_told(self, name: str = "one") -> list[str]:
        return [reason for about, _, reason in self.recorder.events if about == name]

    def now(self) -> datetime:
        return self.clock.now()

    def _lister(self, kind: type[T], namespace: str = "") -> Lister[T]:
        return cast("Lister[T]", LiveLister(self.client, kind, namespace))


def named(name: str, namespace: str = TENANT) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=namespace)


def pod_reference(name: str, uid: str) -> OwnerReference:
    return OwnerReference(api_version="v1", kind="Pod", name=name, uid=uid, controller=True, block_owner_deletion=True)
