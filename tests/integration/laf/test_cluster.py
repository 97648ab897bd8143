"""Clusters, with a real process and two real API servers; the second one stands behind a relay."""

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Namespace, Secret
from apis.events.v1 import Event
from apis.laf.cluster import Cluster, ClusterStatus, Used
from apis.laf.instance import Instance
from apis.meta import Key, ObjectMeta
from framework.apiserver.certificates import Authority, KeyPairFiles
from framework.apiserver.certificates.folder import SERVER_HOSTS
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.conditions import find_condition, is_true
from framework.errors import NotFound
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Relay
from tests.conftest import kubectl_of
from tests.integration.laf.conftest import Hosts
from tests.integration.laf.kubeconfigs import direct, encoded, inline, token_of, with_user
from tests.integration.laf.manifests import CLUSTER, INSTANCE, Manifest, having
from tests.integration.laf.test_catalogue import Kubectl, apply
from tests.integration.requeststate.processes import eventually

FLAGS = ("-controllers=cluster", "-probe-period=1s")
RBAC = "rbac.authorization.k8s.io/v1"
NAME = "east-1"
READY = ("True", "ClusterReady")


class Remote:
    """The second API server, and a relay with a certificate in front of it."""

    def __init__(self, plane: ControlPlane, folder: Path) -> None:
        self.plane = plane
        self._authority = Authority.create(clock=SystemClock())
        files = KeyPairFiles(folder / "relay.crt", folder / "relay.key")
        files.write(self._authority.issue_server(SERVER_HOSTS))
        self.relay = Relay(plane.url, ca_file=plane.ca_file, certificate=(files.certificate_file, files.key_file))
        self.client = connect(from_kubeconfig(str(plane.kubeconfig), clock=SystemClock()))

    def close(self) -> None:
        self.client.connection.close()
        self.relay.close()

    @property
    def kube_system(self) -> str:
        return self.client.get(Namespace, Key("", "kube-system")).metadata.uid

    @property
    def probes(self) -> int:
        return self.relay.count(lambda request: request.path.endswith("/namespaces/kube-system"))

    def token_of_another_administrator(self) -> str:
        binding = ("create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice")
        kubectl_of(self.plane)(*binding)
        return token_of(self.plane.kubeconfig_for("alice"))

    def token_of_who_has_what_is_needed(self) -> str:
        """And nothing more."""
        verbs = ["get", "list", "watch", "create", "update", "patch", "delete"]
        rules = [
            {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["services", "secrets"], "verbs": verbs},
            {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": verbs},
        ]
        role = {"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": "needed"}, "rules": rules}
        kubectl = kubectl_of(self.plane)
        kubectl("apply", "-f", "-", input=json.dumps(role), check=True)
        kubectl("create", "clusterrolebinding", "bob", "--clusterrole=needed", "--user=bob")
        return token_of(self.plane.kubeconfig_for("bob"))

    def kubeconfig(self, token: str = "", **cluster: Any) -> dict[str, Any]:
        return inline(self.relay.url, self._authority.certificate, {"token": token or self.plane.token}, **cluster)


@pytest.fixture
def remote(second_control_plane: ControlPlane, tmp_path: Path) -> Iterator[Remote]:
    made = Remote(second_control_plane, tmp_path)
    yield made
    made.close()


def with_config(name: str, config: str, **spec: Any) -> Manifest:
    return {**having(CLUSTER, clientConfig=config, **spec), "metadata": {"name": name}}


def apply_all(kubectl: Kubectl, namespace: str, manifests: Iterable[Manifest]) -> None:
    apply(kubectl, namespace, {"apiVersion": "v1", "kind": "List", "items": list(manifests)})


def told(client: Client, system: str, name: str = NAME) -> tuple[str, str]:
    """Status and reason of Ready."""
    ready = find_condition(client.get(Cluster, Key(system, name)).status.conditions, "Ready")
    return ("", "") if ready is None else (ready.status, ready.reason)


def is_ready(client: Client, system: str, name: str = NAME) -> bool:
    return told(client, system, name) == READY


def has_event(kubectl: Kubectl, system: str, reason: str, name: str = NAME) -> bool:
    return reason in kubectl("events", "-n", system, f"--for=cluster/{name}", check=True).stdout


def test_a_cluster_becomes_ready_then_nothing_is_written_until_it_stops_to_answer(
    hosts: Hosts, client: Client, kubectl: Kubectl, system: str, remote: Remote
) -> None:
    hosts.start(*FLAGS)
    apply(kubectl, system, with_config(NAME, encoded(remote.kubeconfig())))

    eventually(lambda: is_ready(client, system), "ready")
    found = client.get(Cluster, Key(system, NAME))
    assert found.metadata.finalizers == ["cluster.instance.laf.dev"]
    assert found.status.cluster_id == remote.kube_system
    assert found.status.server_version.startswith("v1.")
    assert len(found.status.client_config_hash) == 16
    assert found.status.observed_generation == found.metadata.generation
    assert found.status.instance_count == 0
    assert found.status.used == Used(cpu="0", memory="0")
    probes = remote.probes
    eventually(lambda: remote.probes >= probes + 3, "it is asked again and again")
    assert client.get(Cluster, found.key).metadata.resource_version == found.metadata.resource_version

    remote.relay.cut()
    eventually(lambda: told(client, system) == ("False", "Unreachable"), "does not answer")
    assert client.get(Cluster, found.key).status.cluster_id == remote.kube_system
    remote.relay.restore()

    eventually(lambda: is_ready(client, system), "ready again")
    eventually(lambda: has_event(kubectl, system, "Unreachable"), "told")


def test_every_kubeconfig_that_cannot_be_used_is_told_by_its_reason_and_nothing_else(
    hosts: Hosts, client: Client, kubectl: Kubectl, remote: Remote, tmp_path: Path
) -> None:
    system = hosts.system
    marker, token = tmp_path / "executed", "a-token-that-nobody-may-see"
    program = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "touch", "args": [str(marker)]}}
    file = str(tmp_path / "relay.crt")
    good = remote.kubeconfig(token)
    expected = {
        "text": ("InvalidClientConfig", "@ neither base64 nor: [YAML"),
        "bytes": ("InvalidClientConfig", base64.b64encode(bytes(range(256))).decode()),
        "no-context": ("InvalidClientConfig", encoded({**good, "contexts": [], "current-context": ""})),
        "certificate": (
            "InvalidClientConfig",
            encoded(remote.kubeconfig(token, **{"certificate-authority-data": base64.b64encode(b"none").decode()})),
        ),
        "exec": ("ForbiddenClientConfig", encoded(with_user(good, program))),
        "auth-provider": ("ForbiddenClientConfig", encoded(with_user(good, {"auth-provider": {"name": "oidc"}}))),
        "token-file": ("ForbiddenClientConfig", encoded(with_user(good, {"tokenFile": file}))),
        "key-file": ("ForbiddenClientConfig", encoded(with_user(good, {"client-key": file}))),
        "ca-file": ("ForbiddenClientConfig", encoded(remote.kubeconfig(token, **{"certificate-authority": file}))),
        "proxy": ("ForbiddenClientConfig", encoded(remote.kubeconfig(token, **{"proxy-url": "http://127.0.0.1:1"}))),
        "http": ("ForbiddenClientConfig", encoded(remote.kubeconfig(token, server="http://127.0.0.1:1"))),
        "insecure": (
            "ForbiddenClientConfig",
            encoded(remote.kubeconfig(token, **{"insecure-skip-tls-verify": True})),
        ),
        "wrong-ca": (
            "TLSVerificationFailed",
            encoded(inline(remote.relay.url, remote.plane.ca_file.read_bytes(), {"token": token})),
        ),
        "revoked": ("Unauthorized", encoded(good)),
        "closed": ("Unreachable", encoded(remote.kubeconfig(token, server="https://127.0.0.1:1"))),
        "few-rights": ("Forbidden", encoded(remote.kubeconfig(token_of(remote.plane.kubeconfig_for("nobody"))))),
    }
    manifests = [with_config(name, config) for name, (_, config) in expected.items()]
    process = hosts.start(*FLAGS)

    apply_all(kubectl, system, [*manifests, {**CLUSTER, "metadata": {"name": "empty"}, "spec": None}])

    reasons = {"empty": "SpecMissing", **{name: reason for name, (reason, _) in expected.items()}}

    def seen() -> dict[str, tuple[str, str]]:
        return {each.metadata.name: told(client, system, each.metadata.name) for each in client.list(Cluster, system)}

    eventually(lambda: seen() == {name: ("False", reason) for name, reason in reasons.items()}, "each has its reason")

    def warned() -> set[tuple[str, str]]:
        events = client.list(Event, system)
        return {(each.regarding.name, each.reason) for each in events if each.type == "Warning"}

    eventually(lambda: warned() == set(reasons.items()), "each has its event")
    assert not marker.exists()
    found = client.get(Cluster, Key(system, "few-rights")).status.conditions
    assert all(
        f"{verb} secrets" in found[-1].message for verb in ("get", "list", "watch", "create", "update", "delete")
    )
    told_all = kubectl("get", "events,clusters", "-n", system, "-o", "jsonpath={.items[*]['status','note','message']}")
    everything = told_all.stdout + process.stderr
    assert "missing rights" in everything
    assert token not in everything
    assert str(marker) not in everything


def test_a_kubeconfig_is_rotated_and_one_that_leads_elsewhere_must_be_accepted(
    hosts: Hosts, client: Client, kubectl: Kubectl, remote: Remote, control_plane: ControlPlane
) -> None:
    system = hosts.system
    alice = remote.token_of_another_administrator()
    hosts.start(*FLAGS)
    apply(kubectl, system, with_config(NAME, encoded(remote.kubeconfig())))
    eventually(lambda: is_ready(client, system), "ready")
    first = client.get(Cluster, Key(system, NAME)).status

    apply(kubectl, system, with_config(NAME, encoded(remote.kubeconfig(alice))))

    eventually(lambda: has_event(kubectl, system, "ClientConfigRotated"), "rotated")
    eventually(lambda: is_ready(client, system), "ready with the new one")
    rotated = client.get(Cluster, Key(system, NAME)).status
    assert rotated.client_config_hash != first.client_config_hash
    assert rotated.cluster_id == first.cluster_id

    apply(kubectl, system, with_config(NAME, "garbage"))
    eventually(lambda: told(client, system) == ("False", "InvalidClientConfig"), "garbage")
    requests = len(remote.relay.requests)
    apply(kubectl, system, with_config(NAME, encoded(remote.kubeconfig())))
    eventually(lambda: is_ready(client, system), "mended")
    used_since = {request.headers["authorization"] for request in remote.relay.requests[requests:]}
    assert used_since == {f"Bearer {remote.plane.token}"}

    # The hub itself: one that exists, and is another.
    apply(kubectl, system, with_config(NAME, encoded(direct(control_plane))))
    eventually(lambda: told(client, system) == ("False", "IdentityChanged"), "another cluster")
    assert client.get(Cluster, Key(system, NAME)).status.cluster_id == first.cluster_id
    hub_id = client.get(Namespace, Key("", "kube-system")).metadata.uid
    kubectl("annotate", "-n", system, f"cluster/{NAME}", f"laf.dev/accept-cluster-id={hub_id}", check=True)

    eventually(lambda: is_ready(client, system), "accepted")
    assert client.get(Cluster, Key(system, NAME)).status.cluster_id == hub_id


def test_a_cluster_tells_what_is_reserved_and_stays_while_an_instance_is_bound_to_it(
    hosts: Hosts, client: Client, kubectl: Kubectl, system: str, remote: Remote
) -> None:
    hosts.start(*FLAGS)
    config = encoded(remote.kubeconfig(remote.token_of_who_has_what_is_needed()))
    apply_all(kubectl, system, [with_config(name, config) for name in (NAME, "forced")])
    apply_all(kubectl, system, [named(INSTANCE, name) for name in ("one", "two", "three")])
    bind(client, Key(system, "one"), Key(system, NAME), {"cpu": "250m", "memory": "128Mi"})
    bind(client, Key(system, "two"), Key(system, NAME), {"cpu": "1", "memory": "1Gi"})
    bind(client, Key(system, "three"), Key(system, "forced"), {"cpu": "1", "memory": "1Gi"})

    def status() -> ClusterStatus:
        return client.get(Cluster, Key(system, NAME)).status

    eventually(lambda: status().instance_count == 2, "both are counted")
    assert status().used == Used(cpu="1250m", memory="1152Mi")
    eventually(lambda: is_ready(client, system), "ready")

    kubectl("delete", "-n", system, "--wait=false", f"cluster/{NAME}", "cluster/forced", check=True)

    eventually(lambda: is_true(status().conditions, "DeletionBlocked"), "blocked")
    blocked = find_condition(status().conditions, "DeletionBlocked")
    assert blocked is not None
    assert blocked.reason == "InstancesPresent"
    assert f"{system}/one, {system}/two" in blocked.message
    eventually(lambda: has_event(kubectl, system, "DeletionBlocked"), "told")
    assert is_ready(client, system)
    kubectl("annotate", "-n", system, "cluster/forced", "laf.dev/force-delete=true", check=True)
    eventually(lambda: is_gone(client, Key(system, "forced")), "gone by force")
    client.delete(Instance, Key(system, "one"))
    eventually(lambda: status().instance_count == 1, "one is left")
    client.delete(Instance, Key(system, "two"))
    eventually(lambda: is_gone(client, Key(system, NAME)), "gone")


def test_what_is_left_of_instances_that_are_gone_or_stopped_is_deleted_and_nothing_else(
    hosts: Hosts, client: Client, kubectl: Kubectl, system: str, remote: Remote
) -> None:
    hub_id = f"hub-{system}"
    apply_all(kubectl, system, [named(INSTANCE, "running"), named(having(INSTANCE, state="Stopped"), "stopped")])
    remote.client.create(Namespace(metadata=ObjectMeta(name=system)))
    for owner in ("gone", "running", "stopped"):
        for kind in (Secret, ConfigMap):
            remote.client.create(kind(metadata=marked(system, owner, hub_id)))
    remote.client.create(Secret(metadata=marked(system, "foreign", "another-hub")))
    nameless = ObjectMeta(name="nameless", namespace=system, labels={"laf.dev/hub-id": hub_id})
    remote.client.create(Secret(metadata=nameless))
    hosts.start(*FLAGS, f"-hub-id={hub_id}")

    apply(kubectl, system, with_config(NAME, encoded(remote.kubeconfig())))

    eventually(lambda: len(secrets_in(remote.client, system)) == 3, "two are deleted")
    assert secrets_in(remote.client, system) == {"foreign", "nameless", "running"}
    # No kind that we make.
    assert len(remote.client.list(ConfigMap, system, labels=f"laf.dev/hub-id={hub_id}")) == 3
    eventually(lambda: has_event(kubectl, system, "OrphanDeleted"), "told")


def secrets_in(client: Client, namespace: str) -> set[str]:
    return {each.metadata.name for each in client.list(Secret, namespace)}


def marked(namespace: str, owner: str, hub_id: str) -> ObjectMeta:
    annotations = {"laf.dev/instance-namespace": namespace, "laf.dev/instance-name": owner}
    return ObjectMeta(name=owner, namespace=namespace, labels={"laf.dev/hub-id": hub_id}, annotations=annotations)


def named(manifest: Manifest, name: str) -> Manifest:
    return {**manifest, "metadata": {"name": name}}


def bind(client: Client, instance: Key, cluster: Key, reserved: dict[str, str]) -> None:
    status = {"clusterUID": client.get(Cluster, cluster).metadata.uid, "reserved": reserved}
    client.merge_patch(Instance, instance, {"status": status}, subresource="status")


def is_gone(client: Client, key: Key) -> bool:
    try:
        client.get(Cluster, key)
    except NotFound:
        return True
    return False
