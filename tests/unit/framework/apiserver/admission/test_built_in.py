from typing import Any

import pytest

from framework.apiserver.objects import Object
from framework.errors import ApiError, Forbidden, NotFound
from tests.unit.framework.apiserver.admission.fakes import FakeCaller, a_request, a_resource, an_admission
from tests.unit.framework.apiserver.auth.fakes import FakeReader

NAMESPACES = a_resource("Namespace", is_namespaced=False)
PODS = a_resource("Pod")
DYING: Object = {"kind": "Namespace", "metadata": {"name": "ns"}, "status": {"phase": "Terminating"}}
ALIVE: Object = {"kind": "Namespace", "metadata": {"name": "ns"}, "status": {"phase": "Active"}}


def mutate(request: Any, *objects: Object) -> Object | None:
    return an_admission(FakeReader(*objects), FakeCaller()).mutate(request)


def test_nothing_is_created_in_a_namespace_that_is_not_there() -> None:
    with pytest.raises(NotFound) as refusal:
        mutate(a_request())

    assert str(refusal.value) == 'namespaces "ns" not found'


def test_nothing_new_is_created_in_a_namespace_that_goes_away() -> None:
    generated = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"generateName": "x-"}}

    with pytest.raises(Forbidden) as refusal:
        mutate(a_request(name="", object=generated), DYING)

    assert str(refusal.value) == (
        'configmaps "x-" is forbidden: unable to create new content in namespace ns because it is being terminated'
    )
    [cause] = refusal.value.causes
    assert (cause.reason, cause.message, cause.field) == (
        "NamespaceTerminating",
        "namespace ns is being terminated",
        "metadata.namespace",
    )


@pytest.mark.parametrize(
    "request_",
    [
        a_request(operation="UPDATE"),
        a_request(operation="DELETE", object=None),
        a_request(a_resource("Node", is_namespaced=False)),
        a_request(NAMESPACES, namespace="ns", name="ns"),
    ],
)
def test_other_writes_go_on_while_a_namespace_goes_away(request_: Any) -> None:
    assert mutate(request_, DYING) == request_.object


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_some_namespaces_cannot_be_deleted(name: str) -> None:
    with pytest.raises(Forbidden) as refusal:
        mutate(a_request(NAMESPACES, operation="DELETE", object=None, name=name, namespace=name))

    assert str(refusal.value) == f'namespaces "{name}" is forbidden: this namespace may not be deleted'


def a_pod(**spec: Any) -> Object:
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "x"}, "spec": spec}


def an_account(name: str, *pull_secrets: str) -> Object:
    secrets = [{"name": secret} for secret in pull_secrets]
    return {"kind": "ServiceAccount", "metadata": {"name": name, "namespace": "ns"}, "imagePullSecrets": secrets}


def test_a_pod_runs_as_the_default_account_and_gets_its_pull_secrets() -> None:
    request = a_request(PODS, object=a_pod())

    pod = mutate(request, ALIVE, an_account("default", "registry"))

    assert pod is not None
    assert pod["spec"] == {
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "imagePullSecrets": [{"name": "registry"}],
    }
    assert request.object == a_pod()


def test_a_pod_keeps_the_account_and_the_pull_secrets_that_it_names() -> None:
    named = a_pod(serviceAccountName="robot", imagePullSecrets=[{"name": "own"}])

    pod = mutate(a_request(PODS, object=named), ALIVE, an_account("robot", "registry"))

    assert pod is not None
    assert pod["spec"] == {**named["spec"], "serviceAccount": "robot"}


def test_a_pod_with_an_account_that_is_not_there_is_refused() -> None:
    with pytest.raises(ApiError) as refusal:
        mutate(a_request(PODS, object=a_pod(serviceAccountName="gone")), ALIVE)

    assert str(refusal.value) == (
        'pods "x" is forbidden: error looking up service account ns/gone: serviceaccount "gone" not found'
    )


def test_a_pod_is_welcome_before_its_default_account() -> None:
    pod = mutate(a_request(PODS, object=a_pod()), ALIVE)

    assert pod is not None
    assert pod["spec"]["serviceAccountName"] == "default"


def test_mirror_pods_and_updates_are_left_alone() -> None:
    mirror = a_pod()
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}

    assert mutate(a_request(PODS, object=mirror), ALIVE) == mirror
    assert mutate(a_request(PODS, object=a_pod(), operation="UPDATE"), ALIVE) == a_pod()
