"""An operator made with kopf does its work."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.client.exceptions import ApiException

from framework.client import Client
from tests.component.clients.package import client as official
from tests.component.clients.package import config, utils
from tests.component.clients.python.waiting import eventually
from tests.component.conftest import temporary_namespace

HERE = Path(__file__).parent
FINALIZER = "kopf.zalando.org/KopfFinalizerMarker"
LAST_HANDLED = "kopf.zalando.org/last-handled-configuration"
WHERE = ("kopf.example", "v1")
PLURAL = "ephemeralvolumeclaims"


@pytest.fixture(scope="session")
def connection(kubeconfig: Path) -> Iterator[Any]:
    with config.new_client_from_config(config_file=str(kubeconfig)) as connected:
        (definition,) = yaml.safe_load_all((HERE / "definition.yaml").read_text())
        try:
            utils.create_from_dict(connected, definition)
        except utils.FailToCreateError as error:
            assert "already exists" in str(error)  # noqa: PT017 - of an earlier run on the same cluster
        definitions = official.ApiextensionsV1Api(connected)
        eventually(lambda: is_established(definitions.read_custom_resource_definition(f"{PLURAL}.kopf.example")))
        yield connected


def is_established(definition: Any) -> bool:
    conditions = definition.status.conditions or ()
    return any((one.type, one.status) == ("Established", "True") for one in conditions)


class Claims:
    """The claims of one namespace, and what the operator made of them."""

    def __init__(self, connection: Any, namespace: str) -> None:
        self._custom = official.CustomObjectsApi(connection)
        self.core = official.CoreV1Api(connection)
        self.namespace = namespace

    def create(self, name: str, **spec: Any) -> None:
        body = {
            "apiVersion": "kopf.example/v1",
            "kind": "EphemeralVolumeClaim",
            "metadata": {"name": name},
            "spec": spec,
        }
        self._custom.create_namespaced_custom_object(*WHERE, self.namespace, PLURAL, body)

    def get(self, name: str) -> Any:
        return self._custom.get_namespaced_custom_object(*WHERE, self.namespace, PLURAL, name)

    def patch(self, name: str, body: Any) -> None:
        self._custom.patch_namespaced_custom_object(
            *WHERE, self.namespace, PLURAL, name, body, _content_type="application/merge-patch+json"
        )

    def delete(self, name: str) -> None:
        self._custom.delete_namespaced_custom_object(*WHERE, self.namespace, PLURAL, name)

    def delete_all(self) -> None:
        self._custom.delete_collection_namespaced_custom_object(*WHERE, self.namespace, PLURAL)
        eventually(lambda: not self._custom.list_namespaced_custom_object(*WHERE, self.namespace, PLURAL)["items"])

    def is_gone(self, name: str) -> bool:
        return absent(lambda: self.get(name))

    def config_map(self, name: str) -> Any:
        """The ConfigMap of that name, or nothing."""
        found = self.core.list_namespaced_config_map(self.namespace, field_selector=f"metadata.name={name}").items
        return found[0] if found else None

    def reasons(self) -> set[tuple[str, str]]:
        events = self.core.list_namespaced_event(self.namespace).items
        return {(event.involved_object.name, event.reason) for event in events}

    def wait_until_handled(self, name: str) -> Any:
        eventually(lambda: "create_child" in self.get(name).get("status", {}))
        return self.get(name)


def absent(read: Callable[[], Any]) -> bool:
    try:
        read()
    except ApiException as error:
        return bool(error.status == 404)
    return False


@pytest.fixture(scope="module")
def claims(
    connection: Any, client: Client, kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Claims]:
    """With an operator that handles them."""
    folder = tmp_path_factory.mktemp("kopf")
    with temporary_namespace(client) as namespace, operator(namespace, kubeconfig, folder):
        # Before the operator ends: only it takes its finalizers away.
        claims = Claims(connection, namespace)
        yield claims
        claims.delete_all()


@contextmanager
def operator(namespace: str, kubeconfig: Path, folder: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "kopf", "run", "--standalone", "--namespace", namespace]
    environment = {"KUBECONFIG": str(kubeconfig), "HOME": str(folder)}
    with (folder / "operator.log").open("w") as log:
        process = subprocess.Popen(
            [*command, str(HERE / "operator_of_claims.py")], env=environment, stdout=log, stderr=log
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
        print((folder / "operator.log").read_text())  # noqa: T201 - for pytest, when the test failed
    assert code == 0


def test_claim_is_handled_from_its_creation_to_its_deletion(claims: Claims) -> None:
    claims.create("one", size="1G")
    handled = claims.wait_until_handled("one")
    child = claims.config_map("child-of-one")

    claims.patch("one", {"spec": {"size": "2G"}})
    eventually(lambda: claims.config_map("child-of-one").data == {"size": "2G"})
    claims.patch("one", {"metadata": {"labels": {"color": "red"}}})
    eventually(lambda: claims.config_map("child-of-one").metadata.labels == {"color": "red"})
    claims.delete("one")
    eventually(lambda: claims.is_gone("one"))

    assert handled["status"]["create_child"] == {"child": "child-of-one"}
    assert handled["metadata"]["finalizers"] == [FINALIZER]
    assert child.metadata.owner_references[0].name == "one"
    assert claims.config_map("farewell-of-one") is not None
    eventually(lambda: claims.config_map("child-of-one") is None)


def test_errors_of_handlers_are_retried_or_final(claims: Claims) -> None:
    claims.create("shy", size="1G", isShy=True)
    claims.create("wrong")

    claims.wait_until_handled("shy")
    eventually(lambda: LAST_HANDLED in claims.get("wrong")["metadata"].get("annotations", {}))

    assert claims.config_map("child-of-shy").data == {"size": "1G"}
    assert claims.config_map("child-of-wrong") is None


def test_timer_writes_the_status_again_and_again(claims: Claims) -> None:
    claims.create("timed", size="1G", isTimed=True)

    eventually(lambda: claims.get("timed").get("status", {}).get("ticks", 0) >= 3)


def test_built_in_objects_are_watched_and_events_sent(claims: Claims) -> None:
    body = {"metadata": {"name": "seen", "labels": {"watched": "yes"}}}

    claims.core.create_namespaced_config_map(claims.namespace, body)

    eventually(lambda: ("seen", "Noted") in claims.reasons())


def test_many_claims_at_once_are_handled(claims: Claims) -> None:
    names = [f"claim-{number}" for number in range(10)]

    for name in names:
        claims.create(name, size="1G")

    for name in names:
        claims.wait_until_handled(name)
