"""One kind that cannot be watched is visible, troubles no other, and is found again by itself."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import GroupVersionKind, ResourceType
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.informers import InformerOptions
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Relay
from tests.conftest import Kubectl
from tests.integration.informers.harness import LIMIT_SECONDS, HurriedRuntime, Observed, Writer, client_through

Make = Callable[..., Observed]


@pytest.fixture
def make(relay: Relay, namespace: str) -> Iterator[Make]:
    made: list[Observed] = []

    def make(kind: type[Secret | ConfigMap] | ResourceType, client: Client) -> Observed:
        options = InformerOptions(namespaces=(namespace,))
        made.append(Observed(kind, client, relay, options).start())
        return made[-1]

    yield make
    for observed in made:
        observed.informer.close()


@pytest.fixture
def restricted(control_plane: ControlPlane) -> Iterator[tuple[str, Client]]:
    """Somebody who may do nothing."""
    user = f"user-{uuid.uuid4().hex[:8]}"
    kubeconfig = control_plane.kubeconfig_for(user)
    client = connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()), runtime=HurriedRuntime())
    yield user, client
    client.connection.close()


@pytest.fixture
def through_relay(relay: Relay, control_plane: ControlPlane, tmp_path: Path) -> Iterator[Client]:
    client = client_through(relay, tmp_path, control_plane.token)
    yield client
    client.connection.close()


@pytest.fixture
def widgets(kubectl: Kubectl) -> Iterator[ResourceType]:
    """A resource type whose CRD is not there yet."""
    group = f"g{uuid.uuid4().hex[:8]}.example.com"
    yield ResourceType(GroupVersionKind(group, "v1", "Widget"), "widgets")
    kubectl("delete", "crd", f"widgets.{group}", "--ignore-not-found", "--wait=false")


def grant(kubectl: Kubectl, namespace: str, user: str, resource: str) -> None:
    kubectl("-n", namespace, "create", "role", resource, "--verb=list,watch", f"--resource={resource}", check=True)
    kubectl("-n", namespace, "create", "rolebinding", resource, f"--role={resource}", f"--user={user}", check=True)


def install(kubectl: Kubectl, widgets: ResourceType) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": widgets.name},
        "spec": {
            "group": widgets.gvk.group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    kubectl("apply", "-f", "-", input=msgspec.json.encode(manifest).decode(), check=True)
    kubectl("wait", "--for=condition=Established", f"crd/{widgets.name}", check=True)
    # The API server tells of a kind, and serves it, some time after it is established.
    assert wait_until(lambda: kubectl("get", widgets.name).returncode == 0, limit_seconds=LIMIT_SECONDS)


def create_widget(kubectl: Kubectl, widgets: ResourceType, namespace: str, name: str) -> None:
    manifest = {
        "apiVersion": widgets.gvk.api_version,
        "kind": "Widget",
        "metadata": {"name": name, "namespace": namespace},
    }
    kubectl("apply", "-f", "-", input=msgspec.json.encode(manifest).decode(), check=True)


def test_a_kind_without_rights_troubles_no_other_and_is_watched_when_they_come(
    make: Make, restricted: tuple[str, Client], kubectl: Kubectl, writer: Writer, namespace: str
) -> None:
    user, client = restricted
    grant(kubectl, namespace, user, "secrets")
    writer.create("a")

    forbidden, allowed = make(ConfigMap, client), make(Secret, client)
    allowed.recorder.wait_for("+a")
    forbidden.wait_until(lambda: forbidden.failures("Forbidden") > 0)
    problem = forbidden.informer.problem
    writer.create("b")
    allowed.recorder.wait_for("+a", "+b")

    assert problem is not None
    assert f'User "{user}" cannot watch resource "configmaps"' in problem
    assert not forbidden.informer.has_synced
    assert allowed.informer.problem is None
    grant(kubectl, namespace, user, "configmaps")
    forbidden.wait_until(lambda: forbidden.informer.has_synced and forbidden.informer.problem is None)


def test_rights_that_are_taken_away_and_given_back_lose_nothing(
    make: Make, restricted: tuple[str, Client], kubectl: Kubectl, writer: Writer, namespace: str
) -> None:
    user, client = restricted
    grant(kubectl, namespace, user, "secrets")
    observed = make(Secret, client)
    observed.wait_until(lambda: observed.informer.has_synced)

    kubectl("-n", namespace, "delete", "rolebinding", "secrets", check=True)
    observed.informer.stop()
    observed.start()
    observed.wait_until(lambda: observed.failures("Forbidden") > 0)
    writer.create("a")
    kubectl("-n", namespace, "create", "rolebinding", "secrets", "--role=secrets", f"--user={user}", check=True)

    observed.recorder.wait_for("+a")
    observed.wait_until(lambda: observed.informer.problem is None)


def test_a_kind_without_crd_troubles_no_other_and_is_watched_when_it_is_installed(
    make: Make, through_relay: Client, kubectl: Kubectl, writer: Writer, widgets: ResourceType
) -> None:
    missing, other = make(widgets, through_relay), make(Secret, through_relay)
    writer.create("a")
    other.recorder.wait_for("+a")
    missing.wait_until(lambda: missing.failures("NotFound") > 0)
    problem = missing.informer.problem

    install(kubectl, widgets)
    create_widget(kubectl, widgets, writer.namespace, "w")

    missing.recorder.wait_for("+w")
    assert problem is not None
    assert "404" in problem
    assert missing.recorder.new(0).content["kind"] == "Widget"
    missing.wait_until(lambda: missing.informer.problem is None)


def test_a_crd_that_is_deleted_and_installed_again_is_watched_again(
    make: Make, through_relay: Client, kubectl: Kubectl, namespace: str, widgets: ResourceType
) -> None:
    install(kubectl, widgets)
    create_widget(kubectl, widgets, namespace, "old")
    observed = make(widgets, through_relay)
    observed.recorder.wait_for("+old")

    kubectl("delete", "crd", widgets.name, "--wait=true", check=True)
    observed.recorder.wait_for("+old", "-old")
    observed.wait_until(lambda: observed.failures("NotFound") > 0)
    install(kubectl, widgets)
    create_widget(kubectl, widgets, namespace, "new")

    observed.recorder.wait_for("+old", "-old", "+new")
