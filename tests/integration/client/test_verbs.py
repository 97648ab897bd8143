"""Every verb on the real API server."""

import json
from typing import Any, TypedDict

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, Key, KubeObject, ObjectMeta, ResourceType, Unstructured, kind
from framework.client import Client
from framework.errors import AlreadyExists, Conflict, Invalid, NotFound, TerminalError
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay

CONFIG_MAPS = ResourceType(GroupVersionKind("", "v1", "ConfigMap"), "configmaps")
DEPLOYMENTS = ResourceType(GroupVersionKind("apps", "v1", "Deployment"), "deployments")
REPLICA_SETS = ResourceType(GroupVersionKind("apps", "v1", "ReplicaSet"), "replicasets")


class Older:
    """Kinds as an older program knows them."""

    @kind(group="", version="v1", plural="configmaps")
    class ConfigMap(KubeObject, frozen=True, kw_only=True):
        pass


class Precondition(TypedDict, total=False):
    uid: str
    resource_version: str


def deployment(namespace: str, *, replicas: int = 0) -> dict[str, Any]:
    labels = {"app": "x"}
    return {
        "metadata": {"name": "d", "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "c", "image": "example.com/none"}]},
            },
        },
    }


def config_maps(client: Client, namespace: str, **labelled: str) -> None:
    for name, value in labelled.items():
        client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=namespace, labels={"l": value})))


def names(client: Client, namespace: str, **selectors: str) -> set[str]:
    return {each.metadata.name for each in client.list(ConfigMap, namespace, **selectors)} - {"kube-root-ca.crt"}


def test_get_returns_the_object(client: Client, config_map: ConfigMap) -> None:
    found = client.get(ConfigMap, config_map.key)

    assert found == config_map
    assert found.data == {"k": "v"}


def test_get_of_a_cluster_scoped_object_needs_no_namespace(client: Client) -> None:
    namespaces = ResourceType(GroupVersionKind("", "v1", "Namespace"), "namespaces", "Cluster")

    assert client.get(namespaces, Key("", "default")).metadata.name == "default"


def test_an_object_with_an_odd_name_is_found(client: Client) -> None:
    roles = ResourceType(GroupVersionKind("rbac.authorization.k8s.io", "v1", "ClusterRole"), "clusterroles", "Cluster")
    name = "windlass:odd name?x=1#y"
    client.create(Unstructured(content={"metadata": {"name": name}}), kind=roles)

    try:
        assert client.get(roles, Key("", name)).metadata.name == name
    finally:
        client.delete(roles, Key("", name))


def test_create_sets_what_the_server_gives(client: Client, namespace: str) -> None:
    created = client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=namespace), binary_data={"b": b"\0\xff"}))

    assert created.metadata.uid
    assert client.get(ConfigMap, created.key).binary_data == {"b": b"\0\xff"}


def test_create_with_a_generated_name(client: Client, namespace: str) -> None:
    request = ConfigMap(metadata=ObjectMeta(generate_name="gen-", namespace=namespace))

    first, second = client.create(request), client.create(request)

    assert first.metadata.name.startswith("gen-")
    assert first.metadata.name != second.metadata.name


def test_create_of_what_exists_is_not_a_conflict(client: Client, config_map: ConfigMap) -> None:
    with pytest.raises(AlreadyExists) as raised:
        client.create(ConfigMap(metadata=ObjectMeta(name="subject", namespace=config_map.metadata.namespace)))

    assert raised.value.reason == "AlreadyExists"


def test_a_list_of_many_pages_is_whole(relayed: Client, relay: Relay, namespace: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("framework.client.client.PAGE_SIZE", 3)
    config_maps(relayed, namespace, **{f"m{number}": "x" for number in range(8)})

    found = names(relayed, namespace, labels="l=x")

    assert found == {f"m{number}" for number in range(8)}
    assert relay.count(lambda request: "limit" in request.query) == 3


def test_a_list_is_narrowed_by_selectors(client: Client, namespace: str) -> None:
    config_maps(client, namespace, a="x", b="y", c="x")

    assert names(client, namespace, labels="l in (x, z)") == {"a", "c"}
    assert names(client, namespace, fields="metadata.name=b") == {"b"}
    assert names(client, namespace, labels="l=x", fields="metadata.name!=a") == {"c"}


def test_metadata_can_be_listed_alone(client: Client, config_map: ConfigMap) -> None:
    page = client.list_page(ConfigMap, config_map.metadata.namespace, {}, metadata_only=True)

    items = [json.loads(bytes(raw)) for raw in page.items or ()]
    assert {item["kind"] for item in items} == {"PartialObjectMetadata"}
    assert "subject" in {item["metadata"]["name"] for item in items}
    assert not any("data" in item for item in items)


def test_apply_creates_and_gives_up_fields_that_are_no_longer_applied(client: Client, namespace: str) -> None:
    metadata = {"name": "a", "namespace": namespace}
    client.apply(ConfigMap, {"metadata": metadata, "data": {"kept": "1", "dropped": "1"}})

    applied = client.apply(ConfigMap, {"metadata": metadata, "data": {"kept": "2"}})

    assert applied.data == {"kept": "2"}


def test_apply_of_a_typed_object_owns_the_fields_that_it_sets(client: Client, namespace: str) -> None:
    metadata = ObjectMeta(name="a", namespace=namespace)
    client.acting_as("other").apply(ConfigMap, {"metadata": {"name": "a", "namespace": namespace}, "data": {"x": "1"}})

    applied = client.apply(ConfigMap, ConfigMap(metadata=metadata, data={"y": "2"}))

    assert applied.data == {"x": "1", "y": "2"}


def test_apply_without_force_does_not_take_a_field_from_another(client: Client, namespace: str) -> None:
    metadata = {"name": "a", "namespace": namespace}
    client.acting_as("first").apply(ConfigMap, {"metadata": metadata, "data": {"x": "1", "y": "1"}})

    with pytest.raises(Conflict) as raised:
        client.acting_as("second").apply(ConfigMap, {"metadata": metadata, "data": {"x": "2", "y": "2"}}, force=False)

    assert raised.value.has_cause("FieldManagerConflict")
    assert [cause.field for cause in raised.value.causes] == [".data.x", ".data.y"]
    assert "\n" not in str(raised.value)


def test_apply_with_force_takes_a_field_from_another(client: Client, namespace: str) -> None:
    metadata = {"name": "a", "namespace": namespace}
    client.acting_as("first").apply(ConfigMap, {"metadata": metadata, "data": {"x": "1"}})

    applied = client.acting_as("second").apply(ConfigMap, {"metadata": metadata, "data": {"x": "2"}})

    assert applied.data == {"x": "2"}


def test_apply_of_an_unknown_field_is_refused(client: Client, namespace: str) -> None:
    manifest = deployment(namespace) | {"spec": deployment(namespace)["spec"] | {"nonsense": 1}}

    with pytest.raises(Exception, match="nonsense"):
        client.apply(DEPLOYMENTS, manifest)


def test_merge_patch_changes_only_what_it_names(client: Client, config_map: ConfigMap) -> None:
    patched = client.merge_patch(ConfigMap, config_map.key, {"data": {"new": "1"}})

    assert patched.data == {"k": "v", "new": "1"}


def test_merge_patch_removes_by_null(client: Client, config_map: ConfigMap) -> None:
    assert client.merge_patch(ConfigMap, config_map.key, {"data": {"k": None}}).data == {}


@pytest.mark.parametrize("condition", [{"resource_version": "1"}, {"uid": "00000000-0000-0000-0000-000000000000"}])
def test_merge_patch_of_an_object_that_is_another_by_now_is_a_conflict(
    client: Client, config_map: ConfigMap, condition: Precondition
) -> None:
    with pytest.raises(Conflict) as raised:
        client.merge_patch(ConfigMap, config_map.key, {"data": {"k": "2"}}, **condition)

    assert (raised.value.code, raised.value.reason) == (409, "Conflict")
    assert client.get(ConfigMap, config_map.key).data == {"k": "v"}


def test_json_patch_applies_its_operations(client: Client, config_map: ConfigMap) -> None:
    operations: list[dict[str, Any]] = [
        {"op": "test", "path": "/data/k", "value": "v"},
        {"op": "replace", "path": "/data/k", "value": "w"},
        {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}},
    ]

    patched = client.json_patch(ConfigMap, config_map.key, operations)

    assert (patched.data, patched.metadata.labels) == ({"k": "w"}, {"a": "b"})


def test_json_patch_with_a_failed_test_changes_nothing(client: Client, config_map: ConfigMap) -> None:
    operations = [
        {"op": "replace", "path": "/data/k", "value": "w"},
        {"op": "test", "path": "/data/k", "value": "something else"},
    ]

    with pytest.raises(Invalid):
        client.json_patch(ConfigMap, config_map.key, operations)

    assert client.get(ConfigMap, config_map.key).data == {"k": "v"}


def test_unknown_fields_survive_every_write(client: Client, config_map: ConfigMap) -> None:
    key = config_map.key
    unknown_to_the_class = {"metadata": {"annotations": {"a": "1"}}, "immutable": False, "data": {"x": "1"}}
    client.merge_patch(CONFIG_MAPS, key, unknown_to_the_class)

    client.merge_patch(Older.ConfigMap, key, {"metadata": {"labels": {"l": "2"}}})
    client.json_patch(Older.ConfigMap, key, [{"op": "add", "path": "/data/j", "value": "3"}])
    client.apply(Older.ConfigMap, {"metadata": {"name": key.name, "namespace": key.namespace}, "data": {"l": "4"}})
    client.patch_spec(client.get(Older.ConfigMap, key), {})

    found: Unstructured = client.get(CONFIG_MAPS, key)
    content = found.content
    assert content["immutable"] is False
    assert content["metadata"]["annotations"] == {"a": "1"}
    assert content["data"] == {"k": "v", "x": "1", "j": "3", "l": "4"}


def test_untyped_objects_are_created_read_and_listed(client: Client, namespace: str) -> None:
    created = client.create(Unstructured(content=deployment(namespace)), kind=DEPLOYMENTS)

    found: Unstructured = client.get(DEPLOYMENTS, created.key)
    listed: list[Unstructured] = client.list(DEPLOYMENTS, namespace)

    assert found.content["spec"]["template"]["spec"]["containers"][0]["image"] == "example.com/none"
    assert [(each.content["kind"], each.content["apiVersion"]) for each in listed] == [("Deployment", "apps/v1")]


def test_status_is_patched_apart_from_the_rest(client: Client, namespace: str) -> None:
    created = client.create(Unstructured(content=deployment(namespace)), kind=DEPLOYMENTS)
    patch = {"status": {"observedGeneration": 77}, "spec": {"replicas": 5}}

    patched: Unstructured = client.merge_patch(DEPLOYMENTS, created.key, patch, subresource="status")

    assert patched.content["status"]["observedGeneration"] == 77
    assert patched.content["spec"]["replicas"] == 0


def test_status_of_an_object_that_changed_meanwhile_is_a_conflict(client: Client, namespace: str) -> None:
    read = client.create(Unstructured(content=deployment(namespace)), kind=DEPLOYMENTS)
    client.merge_patch(DEPLOYMENTS, read.key, {"metadata": {"labels": {"changed": "yes"}}})

    with pytest.raises(Conflict):
        client.patch_status(read, {"replicas": 1}, kind=DEPLOYMENTS)


def test_scale_changes_the_replicas(client: Client, namespace: str) -> None:
    created = client.create(Unstructured(content=deployment(namespace)), kind=DEPLOYMENTS)

    client.scale(DEPLOYMENTS, created.key, 2)

    assert client.get(DEPLOYMENTS, created.key, subresource="scale").content["spec"] == {"replicas": 2}
    assert client.get(DEPLOYMENTS, created.key).content["spec"]["replicas"] == 2


def test_delete_removes_the_object(client: Client, config_map: ConfigMap) -> None:
    client.delete(ConfigMap, config_map.key)

    with pytest.raises(NotFound):
        client.get(ConfigMap, config_map.key)


@pytest.mark.parametrize("wrong", [{"uid": "00000000-0000-0000-0000-000000000000"}, {"resource_version": "1"}])
def test_delete_of_another_object_than_meant_is_a_conflict(
    client: Client, config_map: ConfigMap, wrong: Precondition
) -> None:
    with pytest.raises(Conflict):
        client.delete(ConfigMap, config_map.key, **wrong)

    assert client.get(ConfigMap, config_map.key) == config_map


def test_delete_of_exactly_the_object_that_was_meant(client: Client, config_map: ConfigMap) -> None:
    metadata = config_map.metadata

    client.delete(ConfigMap, config_map.key, uid=metadata.uid, resource_version=metadata.resource_version)

    assert names(client, metadata.namespace) == set()


def test_propagation_decides_what_becomes_of_dependents(client: Client, namespace: str) -> None:
    created = client.create(Unstructured(content=deployment(namespace)), kind=DEPLOYMENTS)
    assert wait_until(lambda: bool(client.list(REPLICA_SETS, namespace)), limit_seconds=20)
    dependent: Unstructured = client.list(REPLICA_SETS, namespace)[0]
    # Without it the garbage collector may be done before we look.
    client.merge_patch(REPLICA_SETS, dependent.key, {"metadata": {"finalizers": ["test.windlass.dev/hold"]}})

    client.delete(DEPLOYMENTS, created.key, propagation="Foreground")
    being_deleted: Unstructured = client.get(DEPLOYMENTS, created.key)

    assert being_deleted.metadata.finalizers == ["foregroundDeletion"]
    client.merge_patch(REPLICA_SETS, dependent.key, {"metadata": {"finalizers": None}})
    assert wait_until(lambda: not client.list(REPLICA_SETS, namespace), limit_seconds=20)


def test_a_collection_is_deleted_by_selector(client: Client, namespace: str) -> None:
    config_maps(client, namespace, a="x", b="y", c="x")

    client.delete_collection(ConfigMap, namespace, labels="l=x", fields="metadata.name!=c")

    assert names(client, namespace) == {"b", "c"}


def test_delete_without_a_name_does_not_delete_the_collection(client: Client, config_map: ConfigMap) -> None:
    with pytest.raises(TerminalError):
        client.delete(ConfigMap, Key(config_map.metadata.namespace, ""))

    assert names(client, config_map.metadata.namespace) == {"subject"}


def test_any_path_can_be_read_as_bytes(client: Client) -> None:
    assert json.loads(client.raw_get("/version"))["major"] == "1"
    assert client.raw_get("/readyz") == b"ok"
