"""A controller with children, a finalizer and conditions, on the real control plane."""

from collections.abc import Iterator
from typing import Any

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, Key, KubeObject, ObjectMeta, Request, ResourceType, Unstructured
from framework.apply import Outcome, OwnedChildren
from framework.client import Client, Observer, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.conditions import is_true, observed_condition, patch_conditions
from framework.controller import Owned, Primary, Source
from framework.errors import Conflict, NotFound
from framework.finalizers import Finalizer, with_finalizer
from framework.informers import SharedInformer
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.component.apply.stage import (
    CONFIG_MAP,
    DEPLOYMENT,
    MANAGER,
    Cache,
    Widget,
    WidgetSpec,
    Writes,
    config_map,
    deployment,
)
from tests.integration.apply.definitions import install

LIMIT_SECONDS = 20.0
SERVICE = ResourceType(GroupVersionKind("", "v1", "Service"), "services")


def service(name: str) -> dict[str, Any]:
    ports = [{"name": "web", "port": 80, "targetPort": "http"}, {"name": "dns", "port": 53, "protocol": "UDP"}]
    spec = {"selector": {"app": name}, "ports": ports}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


class WidgetController:
    """Written as a user would: two functions."""

    def __init__(self, manager: Manager, observer: Observer) -> None:
        self.reconciled = 0
        self._clock = manager.clock
        self._client = manager.client.acting_as(MANAGER, observer)
        self.widgets = manager.informer(Widget)
        informers: list[SharedInformer[Unstructured]] = [
            manager.informer(kind) for kind in (CONFIG_MAP, DEPLOYMENT, SERVICE)
        ]
        self._children = OwnedChildren(self._client, Widget, informers)
        self._reconciler = with_finalizer(
            Finalizer(self._client, Widget, "test.windlass.dev/cleanup"),
            self.widgets.lister,
            apply=self._apply,
            cleanup=lambda _widget: None,
        )
        sources: list[Source] = [
            Primary(self.widgets, resync_seconds=0.3),
            *(Owned(informer, Widget) for informer in informers),
        ]
        manager.add_controller("widget", self, sources)

    def reconcile(self, request: Request) -> Result:
        self.reconciled += 1
        return self._reconciler.reconcile(request)

    def _apply(self, widget: Widget) -> Result:
        maps = [config_map(name, text=text) for name, text in widget.spec.texts.items()]
        self._children.converge(widget, [*maps, deployment("web"), service("web")])
        ready = observed_condition(widget, "Ready", "True", reason="Made", now=self._clock.now())
        patch_conditions(self._client, widget, widget.status.conditions, ready)
        return Result.await_change()


class Scene:
    def __init__(self, client: Client, namespace: str, controller: WidgetController, writes: Writes) -> None:
        self.client = client
        self.namespace = namespace
        self.controller = controller
        self.writes = writes
        self.key = Key(namespace, "w")

    def settle(self) -> None:
        """Wait until two more reconciles, of resyncs, wrote nothing."""

        def is_settled() -> bool:
            return self.controller.reconciled >= seen + 2 and len(self.writes.made) == written

        for _ in range(10):
            seen, written = self.controller.reconciled, len(self.writes.made)
            if wait_until(is_settled, limit_seconds=LIMIT_SECONDS / 5):
                return
        raise AssertionError(f"does not settle: {self.writes.made}")

    def maps(self) -> set[str]:
        found: list[KubeObject] = self.client.list(CONFIG_MAP, self.namespace)
        return {each.metadata.name for each in found} - {"kube-root-ca.crt"}

    def child(self, resource_type: ResourceType, name: str) -> dict[str, Any]:
        obj: KubeObject = self.client.get(resource_type, Key(self.namespace, name))
        assert isinstance(obj, Unstructured)
        return obj.content

    def widget(self, **texts: str) -> Widget:
        metadata = ObjectMeta(name="w", namespace=self.namespace)
        return self.client.create(Widget(metadata=metadata, spec=WidgetSpec(texts=texts)))


@pytest.fixture
def scene(control_plane: Cluster, client: Client, namespace: str) -> Iterator[Scene]:
    install(client, Widget)
    own = connect(from_kubeconfig(str(control_plane.kubeconfig), clock=SystemClock()))
    manager = Manager(own, options=ManagerOptions(namespaces=(namespace,), grace_period_seconds=5.0))
    writes = Writes()
    controller = WidgetController(manager, writes)
    manager.start()
    yield Scene(client, namespace, controller, writes)
    manager.stop()


def test_a_widget_lives_from_its_creation_to_its_end_and_a_settled_one_causes_no_write(scene: Scene) -> None:
    scene.widget(a="1", b="2")
    assert wait_until(lambda: scene.maps() == {"a", "b"}, limit_seconds=LIMIT_SECONDS)
    scene.settle()
    assert is_true(scene.client.get(Widget, scene.key).status.conditions, "Ready")
    # A set: a reconcile of a cache that has not seen our last write may try one of them again.
    expected = {"configmaps/ a", "configmaps/ b", "deployments/ web", "services/ web", "widgets/ w", "widgets/status w"}
    assert set(scene.writes.made) == {f"patch {each}" for each in expected}

    # What the deployment controller does to the child meanwhile is none of our business.
    scene.client.merge_patch(DEPLOYMENT, Key(scene.namespace, "web"), {"spec": {"replicas": 5}})
    scene.client.merge_patch(Widget, scene.key, {"spec": {"texts": {"a": None, "c": "3"}}})
    assert wait_until(lambda: scene.maps() == {"b", "c"}, limit_seconds=LIMIT_SECONDS)
    scene.settle()
    assert scene.child(DEPLOYMENT, "web")["spec"]["replicas"] == 2
    assert scene.client.get(Widget, scene.key).status.conditions[0].observed_generation == 2

    scene.client.delete(Widget, scene.key)
    assert wait_until(lambda: scene.client.list(Widget, scene.namespace) == [], limit_seconds=LIMIT_SECONDS)


class Hand:
    def __init__(self, client: Client, *, force: bool = True) -> None:
        self._cache: Cache[Unstructured] = Cache(client, CONFIG_MAP)
        self._children = OwnedChildren(client.acting_as(MANAGER), Widget, [self._cache], force=force)

    def converge(self, owner: Widget, *desired: dict[str, Any], fresh: bool = True) -> Outcome:
        if fresh:
            self._cache.refresh()
        return self._children.converge(owner, desired)


@pytest.fixture
def owner(client: Client, namespace: str) -> Widget:
    install(client, Widget)
    return client.create(Widget(metadata=ObjectMeta(name="w", namespace=namespace)))


def test_an_apply_never_reaches_a_namesake_of_the_child(client: Client, owner: Widget, namespace: str) -> None:
    hand, key = Hand(client), Key(namespace, "a")
    hand.converge(owner, config_map("a", text="1"))
    hand.converge(owner, config_map("a", text="1"))
    client.delete(ConfigMap, key)
    with pytest.raises(Conflict):
        hand.converge(owner, config_map("a", text="2"), fresh=False)
    with pytest.raises(NotFound):
        client.get(ConfigMap, key)
    foreign = client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=namespace), data={"x": "y"}))

    with pytest.raises(Conflict):
        hand.converge(owner, config_map("a", text="2"), fresh=False)

    assert client.get(ConfigMap, key) == foreign


def test_a_prune_deletes_that_very_version_or_nothing(client: Client, owner: Widget, namespace: str) -> None:
    hand, key = Hand(client), Key(namespace, "a")
    hand.converge(owner, config_map("a"))
    hand.converge(owner, config_map("a"))
    client.merge_patch(ConfigMap, key, {"metadata": {"ownerReferences": None}})

    with pytest.raises(Conflict):
        hand.converge(owner, fresh=False)

    assert client.get(ConfigMap, key).metadata.owner_references == []


def test_without_force_a_conflict_names_the_other_manager_and_the_field(
    client: Client, owner: Widget, namespace: str
) -> None:
    hand = Hand(client, force=False)
    hand.converge(owner, config_map("a", text="1"))
    client.acting_as("kubectl-edit").merge_patch(ConfigMap, Key(namespace, "a"), {"data": {"text": "2"}})

    with pytest.raises(Conflict, match=r"kubectl-edit.*\.data\.text"):
        hand.converge(owner, config_map("a", text="1"))
