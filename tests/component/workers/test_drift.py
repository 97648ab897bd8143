"""What others do to the objects of a bundle."""

from typing import Any

import pytest

from apis.apps.v1 import Deployment
from apis.cfworker.workerbundle import WorkerBundle
from apis.core.v1 import ConfigMap, Service
from apis.meta import KubeObject, Unstructured, resource_type_of
from apis.networking.v1 import Ingress
from tests.component.workers.world import ACCOUNT, World

CHILDREN = ((Deployment, "acme-depl"), (Service, "acme-svc"), (Ingress, "acme-ingress"))


@pytest.fixture
def served(world: World) -> World:
    world.account()
    world.deploy("hello", "v1")
    world.serve()
    return world


def test_edits_are_taken_back_and_foreign_labels_survive(served: World) -> None:
    world = served
    before = {name: world.content(kind, name)["spec"] for kind, name in CHILDREN}
    container = before["acme-depl"]["template"]["spec"]["containers"][0]
    image = {"spec": {"template": {"spec": {"containers": [{"name": "acme-pod", "image": "other"}]}}}}
    world.client.merge_patch(Deployment, world.key("acme-depl"), image)
    port = [{"op": "replace", "path": "/spec/ports/0/targetPort", "value": 1}]
    world.client.json_patch(Service, world.key("acme-svc"), port)
    path = [{"op": "replace", "path": "/spec/rules/0/http/paths/0/path", "value": "/x"}]
    world.client.json_patch(Ingress, world.key("acme-ingress"), path)
    for kind, name in CHILDREN:
        world.client.merge_patch(kind, world.key(name), {"metadata": {"labels": {"team": "blue"}}})

    world.until(lambda: world.content(Service, "acme-svc")["spec"] == before["acme-svc"])
    world.until(lambda: world.content(Ingress, "acme-ingress")["spec"] == before["acme-ingress"])
    # What the server filled in for the other image is nobody's, and stays.
    container = {**container, "imagePullPolicy": "Always"}
    world.until(lambda: container_of(world) == container)
    assert {world.content(kind, name)["metadata"]["labels"]["team"] for kind, name in CHILDREN} == {"blue"}


def container_of(world: World) -> dict[str, Any]:
    (found,) = world.content(Deployment, "acme-depl")["spec"]["template"]["spec"]["containers"]
    return dict(found)


def test_what_is_deleted_is_made_again(served: World) -> None:
    world = served
    for kind, name in CHILDREN:
        uid = world.one(kind, name).metadata.uid
        world.client.delete(kind, world.key(name))
        world.until(lambda: is_new(world, kind, name, uid))  # noqa: B023 - asked before the next one


def is_new(world: World, kind: type[KubeObject], name: str, uid: str) -> bool:
    found = world.get(kind, name)
    return found is not None and found.metadata.uid != uid


def test_an_image_that_somebody_put_into_the_bundle_is_replaced_by_the_accounts(served: World) -> None:
    world = served
    image = world.one(WorkerBundle, ACCOUNT).spec.pod_template.image
    other = {"spec": {"podTemplate": {"image": "nginx"}, "workers": []}}

    world.client.merge_patch(WorkerBundle, world.key(ACCOUNT), other)

    world.until(lambda: world.one(WorkerBundle, ACCOUNT).spec.pod_template.image == image)
    assert len(world.one(WorkerBundle, ACCOUNT).spec.workers) == 1


def test_a_headless_service_as_upstream_made_it_is_replaced(world: World) -> None:
    spec = {"clusterIP": "None", "selector": {"app": "acme-pod"}}
    content = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "acme-svc", "namespace": world.namespace}}
    world.client.create(Unstructured(content={**content, "spec": spec}), kind=resource_type_of(Service))
    world.account()
    world.deploy("hello", "v1")
    world.complete(world.wait_for_job())

    world.until(lambda: has_address(world, "acme-svc"))
    assert [port.port for port in world.one(Service, "acme-svc").spec.ports] == [8080]
    world.until(lambda: bool(world.events("Recreated")))


def has_address(world: World, name: str) -> bool:
    found = world.get(Service, name)
    return found is not None and found.spec.cluster_ip not in {"", "None"}


def test_what_another_controls_is_left_alone(world: World) -> None:
    owner = world.client.create(ConfigMap(metadata=world.named("owner")))
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": owner.metadata.name,
        "uid": owner.metadata.uid,
        "controller": True,
    }
    metadata = {"name": "acme-svc", "namespace": world.namespace, "ownerReferences": [reference]}
    content = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80}]}}
    world.client.create(Unstructured(content=content), kind=resource_type_of(Service))
    world.account()
    world.deploy("hello", "v1")
    world.complete(world.wait_for_job())

    world.until(lambda: world.condition(WorkerBundle, ACCOUNT, "Deployed") == ("False", "NameTaken"))

    assert [port.port for port in world.one(Service, "acme-svc").spec.ports] == [80]
