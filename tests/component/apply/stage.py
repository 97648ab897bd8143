"""An embedded server with a custom kind on it, caches that a test refreshes by hand, and crashes at a chosen write."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from apis.meta import (
    ApiStruct,
    Condition,
    GroupVersionKind,
    Key,
    KubeObject,
    ObjectMeta,
    ResourceType,
    Unstructured,
    kind,
    list_map,
    resource_type_of,
)
from apis.schema import crd_of
from framework.apiserver.controllers import builtin_controllers
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Access, Client, Kind, Observer
from framework.listers import Lister
from framework.runtime import ThreadRuntime
from framework.store import Store, decode_envelope

T = TypeVar("T", bound=KubeObject)

CUSTOM_RESOURCE_DEFINITION = ResourceType(
    GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), "customresourcedefinitions", "Cluster"
)
CONFIG_MAP = ResourceType(GroupVersionKind("", "v1", "ConfigMap"), "configmaps")
DEPLOYMENT = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")
CLUSTER_ROLE = ResourceType(
    GroupVersionKind("rbac.authorization.k8s.io", "v1", "ClusterRole"), "clusterroles", "Cluster"
)
MANAGER = "windlass/widget"
NAMESPACE = "default"


class WidgetSpec(ApiStruct, frozen=True, kw_only=True):
    texts: dict[str, str] = msgspec.field(default_factory=dict)


class WidgetStatus(ApiStruct, frozen=True, kw_only=True):
    conditions: Annotated[list[Condition], list_map("type")] = msgspec.field(default_factory=list)


@kind(group="test.windlass.dev", version="v1", plural="widgets", status=True)
class Widget(KubeObject, frozen=True, kw_only=True):
    spec: WidgetSpec = WidgetSpec()
    status: WidgetStatus = WidgetStatus()


class Crash(Exception):
    """The process ends here."""


class Writes(Observer):
    """An observer that counts writes and ends the process instead of making the one with number *crash_at*."""

    def __init__(self, crash_at: int | None = None) -> None:
        self.made: list[str] = []
        self._crash_at = crash_at

    def sending(self, access: Access) -> None:
        if access.is_read:
            return
        self.step(f"{access.verb} {access.resource_type.plural}/{access.subresource} {access.name}")

    def step(self, what: str) -> None:
        if len(self.made) == self._crash_at:
            self._crash_at = None
            raise Crash
        self.made.append(what)


class Cache(Generic[T]):
    """What a reconciler needs of an informer; as old as its last `refresh`."""

    def __init__(self, client: Client, kind: Kind[T]) -> None:
        self._client = client
        self._kind = kind
        self._store: Store[T] = Store(client.codec_of(kind).decode, ThreadRuntime())
        self.resource_type = kind if isinstance(kind, ResourceType) else resource_type_of(kind)
        self.lister = Lister(self._store)
        self.has_synced = True
        self.refresh()

    def add_index(self, name: str, function: Callable[[Any], Iterable[str]]) -> None:
        self._store.add_index(name, function)

    def refresh(self) -> None:
        page = self._client.list_page(self._kind, "", {})
        entries = [decode_envelope(raw) for raw in page.items or ()]
        self._store.replace({entry.key: entry for entry in entries}, "", int(page.metadata.resource_version))


class Stage:
    def __init__(self) -> None:
        self.server = ApiServer()
        self.client = in_process_client(self.server)
        self._controllers = builtin_controllers(self.server)
        self.client.apply(CUSTOM_RESOURCE_DEFINITION, crd_of(Widget))
        self._controllers.settle()

    def settle(self) -> None:
        self._controllers.settle()

    def widget(self, name: str = "w", **texts: str) -> Widget:
        return self.client.create(
            Widget(metadata=ObjectMeta(name=name, namespace=NAMESPACE), spec=WidgetSpec(texts=texts))
        )

    def get(self, resource_type: ResourceType, name: str) -> dict[str, Any]:
        obj: KubeObject = self.client.get(resource_type, Key(NAMESPACE, name))
        assert isinstance(obj, Unstructured)
        return obj.content

    def names(self, resource_type: ResourceType) -> set[str]:
        found: list[KubeObject] = self.client.list(resource_type, NAMESPACE)
        return {each.metadata.name for each in found} - {"kube-root-ca.crt"}

    def state(self) -> dict[str, Any]:
        """Everything that was made, without what differs from run to run."""
        state: dict[str, Any] = {}
        for resource_type in (resource_type_of(Widget), CONFIG_MAP, DEPLOYMENT):
            objects: list[KubeObject] = self.client.list(resource_type, NAMESPACE)
            for obj in objects:
                assert isinstance(obj, Unstructured)
                # Sorted by time on the server, so the order depends on where a second ends.
                obj.content["metadata"]["managedFields"].sort(key=_manager_of)
                state[f"{resource_type.plural}/{obj.metadata.name}"] = _masked(obj.content)
        return state


_RANDOM = {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "time", "lastTransitionTime"}


def _manager_of(entry: dict[str, str]) -> tuple[str, ...]:
    return entry["manager"], entry["operation"], entry.get("subresource", "")


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        # The key of an owner reference in managed fields is its uid.
        return {_masked_name(name): _masked(each) for name, each in value.items() if name not in _RANDOM}
    return [_masked(each) for each in value] if isinstance(value, list) else value


def _masked_name(name: str) -> str:
    return 'k:{"uid"}' if name.startswith('k:{"uid"') else name


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def deployment(name: str, image: str = "nginx:1", **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    container = {
        "name": "web",
        "image": image,
        "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "resources": {"limits": {"memory": "64Mi"}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            **spec,
        },
    }
