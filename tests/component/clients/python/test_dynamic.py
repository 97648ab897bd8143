"""The dynamic client, which lives from discovery, and leader election by a Lease."""

import datetime as dt
import itertools
from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import NotFoundError, ResourceNotFoundError

from tests.component.clients.package import client, dynamic
from tests.component.clients.python.conftest import GROUP, VERSION, a_widget

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def discovered(connection: Any) -> Any:
    return dynamic.DynamicClient(connection)


def test_resources_are_found_by_kind_and_by_short_name(discovered: Any) -> None:
    widgets = discovered.resources.get(api_version=f"{GROUP}/{VERSION}", kind="Widget")
    by_short_name = discovered.resources.get(short_names=["wd"])

    assert (widgets.name, widgets.namespaced) == ("widgets", True)
    assert by_short_name.kind == "Widget"
    with pytest.raises(ResourceNotFoundError):
        discovered.resources.get(api_version="v1", kind="Nothing")


def test_custom_resource_lives_from_creation_to_deletion(discovered: Any, namespace: str) -> None:
    widgets = discovered.resources.get(api_version=f"{GROUP}/{VERSION}", kind="Widget")

    created = widgets.create(body=a_widget("one", color="red"), namespace=namespace)
    patched = widgets.patch(
        body={"metadata": {"name": "one"}, "spec": {"color": "blue"}},
        namespace=namespace,
        content_type="application/merge-patch+json",
    )
    applied = widgets.server_side_apply(
        body=a_widget("two", color="green"), namespace=namespace, field_manager="dynamic"
    )
    status = widgets.status.patch(
        body={"metadata": {"name": "one"}, "status": {"phase": "Ready"}},
        namespace=namespace,
        content_type="application/merge-patch+json",
    )
    names = [one.metadata.name for one in widgets.get(namespace=namespace).items]
    widgets.delete(name="one", namespace=namespace)

    assert (created.spec.color, patched.spec.color, applied.spec.color) == ("red", "blue", "green")
    assert status.status.phase == "Ready"
    assert names == ["one", "two"]
    with pytest.raises(NotFoundError):
        widgets.get(name="one", namespace=namespace)


def test_changes_are_watched(discovered: Any, namespace: str) -> None:
    config_maps = discovered.resources.get(api_version="v1", kind="ConfigMap")
    body = {"metadata": {"name": "one", "labels": {"app": "sample"}}, "data": {"a": "b"}}
    config_maps.create(body=body, namespace=namespace)

    (event,) = itertools.islice(config_maps.watch(namespace=namespace, label_selector="app=sample", timeout=20), 1)

    assert (event["type"], event["object"].metadata.name) == ("ADDED", "one")


def test_lease_is_taken_by_one_and_renewed_only_by_the_last_reader(connection: Any, namespace: str) -> None:
    leases = client.CoordinationV1Api(connection)
    leases.create_namespaced_lease(namespace, a_lease("first"))
    read_by_first = leases.read_namespaced_lease("leader", namespace)
    read_by_second: Any = leases.read_namespaced_lease("leader", namespace)

    read_by_first.spec.lease_transitions = 1
    leases.replace_namespaced_lease("leader", namespace, read_by_first)
    read_by_second.spec.holder_identity = "second"
    with pytest.raises(ApiException) as conflict:
        leases.replace_namespaced_lease("leader", namespace, read_by_second)

    assert conflict.value.status == 409
    kept = leases.read_namespaced_lease("leader", namespace).spec
    assert (kept.holder_identity, kept.renew_time.microsecond) == ("first", 123456)


def a_lease(holder: str) -> Any:
    moment = dt.datetime(2026, 1, 1, 0, 0, 0, 123456, tzinfo=dt.UTC)
    return client.V1Lease(
        metadata=client.V1ObjectMeta(name="leader"),
        spec=client.V1LeaseSpec(
            holder_identity=holder, lease_duration_seconds=15, acquire_time=moment, renew_time=moment
        ),
    )
