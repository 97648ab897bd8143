"""A Cluster whose kubeconfig is replaced, by a good one and by a bad one."""

from collections.abc import Iterator

import pytest

from tests.integration.laf.world import World, eventually

pytestmark = pytest.mark.xdist_group("laf-credentials")


@pytest.fixture
def new_token(world: World) -> Iterator[str]:
    """Of another administrator of the remote."""
    name = world.name("administrator")
    token = world.remote.account(name, "default", "cluster-admin")
    world.keep_secret(token)
    yield token
    world.remote.delete("ClusterRoleBinding", name)
    world.remote.delete("ServiceAccount", name, "default")


def test_a_replaced_token_is_not_used_again_and_nothing_is_written(world: World, new_token: str) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance()
    writes, old_hash = len(gate.writes), world.status("Cluster", "a")["clientConfigHash"]

    world.edit("Cluster", "a", clientConfig=gate.kubeconfig(new_token))
    world.expect_event("Cluster", "a", "ClientConfigRotated")
    world.expect("Cluster", "a", Ready="True/ClusterReady")
    assert world.status("Cluster", "a")["clientConfigHash"] != old_hash
    rotated = gate.last_number
    gate.await_probes()
    assert gate.tokens_since(rotated) == {new_token}
    world.expect("Instance", "shop", status={"status": "Running"}, Ready="True/Ready")

    world.edit("Cluster", "a", clientConfig="{garbage")
    world.expect("Cluster", "a", Ready="False/InvalidClientConfig")
    world.expect_event("Cluster", "a", "InvalidClientConfig", "Warning")
    told = {"Ready": "Unknown/ClusterUnreachable", "ClusterReachable": "False/InvalidClientConfig"}
    world.expect("Instance", "shop", status={"status": "Unknown"}, **told)
    broken = gate.last_number
    # Something that would be written at once, were there a way.
    world.edit("Runtime", "node18", healthPath="/changed")
    world.expect("Instance", "shop", InputsResolved="True/Resolved")
    other = world.add_ready_cluster("other", region=f"r2-{world.id}")
    other.await_probes()
    assert gate.tokens_since(broken) == set()
    assert gate.writes[writes:] == []
    world.edit("Runtime", "node18", healthPath="/healthz")

    world.edit("Cluster", "a", clientConfig=gate.plain_kubeconfig(new_token))
    world.expect("Cluster", "a", Ready="True/ClusterReady")
    world.expect("Instance", "shop", status={"status": "Running"}, Ready="True/Ready")
    assert gate.writes[writes:] == []
    assert world.status("Cluster", "a")["clientConfigHash"] != old_hash


def test_a_cluster_that_became_another_gets_nothing_until_that_is_accepted(world: World) -> None:
    world.add_catalogue()
    gate = world.add_ready_cluster()
    world.run_instance()
    other = world.add_ready_cluster("other", region=f"r2-{world.id}", server=world.hub.plane)
    world.delete("Cluster", "other")
    world.expect_gone("Cluster", "other")

    world.edit("Cluster", "a", clientConfig=other.kubeconfig())
    world.expect("Cluster", "a", Ready="False/IdentityChanged")
    world.expect("Instance", "shop", Ready="Unknown/ClusterUnreachable", ClusterReachable="False/IdentityChanged")
    assert other.writes == []
    assert world.remote_find("Deployment") is not None

    new_id = world.hub.get("Namespace", "kube-system")["metadata"]["uid"]
    world.annotate("Cluster", "a", "accept-cluster-id", new_id)
    world.expect("Cluster", "a", status={"clusterID": new_id}, Ready="True/ClusterReady")
    world.expect("Instance", "shop", DeploymentAndServiceCreated="True/Created", ClusterReachable="True/ClusterReady")
    assert world.hub.find("Deployment", "shop-deployment", world.tenant) is not None
    assert [each for each in gate.writes if each.method == "DELETE"] == []


@pytest.fixture
def least_rights(world: World) -> Iterator[str]:
    """A token of the remote that may do what a probe asks for, and nothing else."""
    verbs = ["get", "list", "watch", "create", "update", "patch", "delete"]
    rules = [
        {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": verbs},
        {"apiGroups": [""], "resources": ["services", "secrets"], "verbs": verbs},
    ]
    name, group = world.name("least"), "rbac.authorization.k8s.io/v1"
    world.remote.create({"apiVersion": group, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules})
    token = world.remote.account(name, "default", name)
    world.keep_secret(token)
    yield token
    for kind, namespace in (("ClusterRoleBinding", ""), ("ClusterRole", ""), ("ServiceAccount", "default")):
        world.remote.delete(kind, name, namespace)


def test_what_a_probe_asks_for_is_enough_but_for_new_namespaces(world: World, least_rights: str) -> None:
    world.add_catalogue()
    world.add_ready_cluster(token=least_rights)
    world.add_instance()
    world.expect("Instance", "shop", DeploymentAndServiceCreated="False/RemoteNamespaceForbidden")
    world.expect_event("Instance", "shop", "RemoteNamespaceForbidden", "Warning")

    world.remote.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": world.tenant}})
    # Else it is tried each minute.
    world.annotate("Instance", "shop", "touched")
    world.play_kubelet()
    world.expect("Instance", "shop", Ready="True/Ready")
    world.edit("Runtime", "node18", image={"main": "registry.example/app:2"})
    eventually(lambda: world.main_container()["image"] == "registry.example/app:2", "a change goes out")
    world.remote.patch("Service", "shop-svc", world.tenant, spec={"selector": {"appid": "other"}})
    right = world.appid("shop")
    eventually(lambda: world.remote_get("Service")["spec"]["selector"]["appid"] == right, "drift is put right")
    world.delete("Instance", "shop")
    world.expect_gone("Instance", "shop")
    world.expect_nothing_remote()


def test_rights_that_are_missing_are_named(world: World, least_rights: str) -> None:
    world.remote.json_patch(
        "ClusterRole",
        world.name("least"),
        "",
        {"op": "replace", "path": "/rules/1/verbs", "value": ["get", "list"]},
    )

    world.add_cluster(token=least_rights)

    seen = world.expect("Cluster", "a", Ready="False/Forbidden")
    told = next(each["message"] for each in seen["status"]["conditions"] if each["type"] == "Ready")
    assert "deployments" in told
    assert "create" in told
    world.expect_event("Cluster", "a", "Forbidden", "Warning")
