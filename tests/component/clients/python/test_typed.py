"""The generated classes of the official package."""

import datetime as dt
from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException

from tests.component.clients.conftest import NAMESPACED, manifest
from tests.component.clients.package import client, utils
from tests.component.clients.python.conftest import a_config_map
from tests.component.clients.python.waiting import eventually


def test_object_is_created_read_replaced_patched_and_deleted(core: Any, namespace: str) -> None:
    created = core.create_namespaced_config_map(namespace, a_config_map("settings", color="red"))
    created.data["color"] = "green"
    replaced = core.replace_namespaced_config_map("settings", namespace, created)
    patched = core.patch_namespaced_config_map("settings", namespace, {"data": {"size": "3"}})
    listed = core.list_namespaced_config_map(namespace, label_selector="app=sample")
    core.delete_namespaced_config_map("settings", namespace)

    assert replaced.data == {"color": "green"}
    assert patched.data == {"color": "green", "size": "3"}
    assert [one.metadata.name for one in listed.items] == ["settings"]
    assert core.list_namespaced_config_map(namespace, label_selector="app=sample").items == []
    assert isinstance(created.metadata.creation_timestamp, dt.datetime)


def test_errors_have_code_reason_and_body(core: Any, namespace: str) -> None:
    core.create_namespaced_config_map(namespace, a_config_map("settings"))

    with pytest.raises(ApiException, match="AlreadyExists") as twice:
        core.create_namespaced_config_map(namespace, a_config_map("settings"))
    with pytest.raises(ApiException, match="NotFound") as nobody:
        core.read_namespaced_config_map("nobody", namespace)

    assert (twice.value.status, nobody.value.status) == (409, 404)


def test_stale_version_is_a_conflict(core: Any, namespace: str) -> None:
    stale = core.create_namespaced_config_map(namespace, a_config_map("settings", color="red"))
    core.patch_namespaced_config_map("settings", namespace, {"data": {"color": "green"}})

    with pytest.raises(ApiException, match="the object has been modified") as conflict:
        core.replace_namespaced_config_map("settings", namespace, stale)

    assert conflict.value.status == 409


def test_collection_is_listed_in_pages_and_deleted_at_once(core: Any, namespace: str) -> None:
    for number in range(7):
        core.create_namespaced_config_map(namespace, a_config_map(f"page-{number}"))

    first = core.list_namespaced_config_map(namespace, limit=3, label_selector="app=sample")
    second = core.list_namespaced_config_map(
        namespace, limit=3, label_selector="app=sample", _continue=first.metadata._continue
    )
    core.delete_collection_namespaced_config_map(namespace, label_selector="app=sample")

    assert [one.metadata.name for one in first.items + second.items] == [f"page-{number}" for number in range(6)]
    assert core.list_namespaced_config_map(namespace, label_selector="app=sample").items == []


def test_deployment_becomes_available_and_is_scaled(connection: Any, namespace: str) -> None:
    apps = client.AppsV1Api(connection)
    labels = {"app": "web"}
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=labels),
        spec=client.V1PodSpec(containers=[client.V1Container(name="web", image="registry.example/web:1")]),
    )
    spec = client.V1DeploymentSpec(replicas=1, selector=client.V1LabelSelector(match_labels=labels), template=template)

    apps.create_namespaced_deployment(
        namespace, client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    )
    apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 2}})

    eventually(lambda: apps.read_namespaced_deployment_status("web", namespace).status.available_replicas == 2)
    assert apps.read_namespaced_deployment_scale("web", namespace).status.replicas == 2


def test_samples_are_created_from_their_files(connection: Any, namespace: str) -> None:
    for path in NAMESPACED[:-1]:
        utils.create_from_yaml(connection, path, namespace=namespace)

    with pytest.raises(utils.FailToCreateError, match="already exists"):
        utils.create_from_yaml(connection, manifest("batch.yaml"), namespace=namespace)
    assert client.BatchV1Api(connection).read_namespaced_cron_job("nightly", namespace).spec.schedule == "30 2 * * *"
    assert client.NetworkingV1Api(connection).read_namespaced_ingress("front", namespace).spec.rules[0].host
    assert (
        client.PolicyV1Api(connection).read_namespaced_pod_disruption_budget("web", namespace).spec.min_available == 1
    )


def test_rights_are_asked_for_and_tokens_made(connection: Any, core: Any, namespace: str) -> None:
    core.create_namespaced_service_account(
        namespace, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="runner"))
    )
    attributes = client.V1ResourceAttributes(verb="get", resource="pods", namespace=namespace)
    review = client.V1SelfSubjectAccessReview(spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes))

    allowed = client.AuthorizationV1Api(connection).create_self_subject_access_review(review)
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600))
    token = core.create_namespaced_service_account_token("runner", namespace, request)

    assert allowed.status.allowed is True
    assert token.status.token.count(".") == 2


def test_version_and_groups_are_told(connection: Any) -> None:
    assert client.VersionApi(connection).get_code().major == "1"
    assert "apps" in {group.name for group in client.ApisApi(connection).get_api_versions().groups}
