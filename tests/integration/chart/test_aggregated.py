"""Those who have the roles view and edit of a namespace see and change our kinds there, and no more than that."""

import json
from collections.abc import Iterator

import pytest

from tests.conftest import Kubectl
from tests.integration.chart.release import Release
from tests.integration.requeststate.processes import eventually

pytestmark = pytest.mark.xdist_group("chart")
NAMESPACE = "aggregated"
WORKERS = (
    "jobbuilders.api.cf-worker",
    "workerversions.api.cf-worker",
    "workeraccounts.api.worker-account",
    "workerbundles.api.worker-bundle",
    "workerdeployments.api.worker-deployment",
    "workerreleases.api.worker-release",
)
OTHERS = ("applications.application.laf.dev", "peerpods.confidentialcontainers.org", "instances.instance.laf.dev")
CLUSTERS = "clusters.instance.laf.dev"
VERSION = {
    "apiVersion": "api.cf-worker/v1",
    "kind": "WorkerVersion",
    "metadata": {"name": "one", "namespace": NAMESPACE},
    "spec": {"accounts": "acme", "scripts": "hello", "url": "hello/one"},
}
# A role that everybody has in mind, and the one that is added to it; by the name of a user who has nothing else.
ROLES = {"viewer": "view", "editor": "edit", "reader": "cfworkers-view", "writer": "cfworkers-edit"}


@pytest.fixture(scope="module")
def bound(live: Release) -> Iterator[Kubectl]:
    kubectl = live.kubectl
    kubectl("create", "namespace", NAMESPACE, check=True)
    for user, role in ROLES.items():
        kubectl("create", "rolebinding", user, f"--clusterrole={role}", f"--user={user}", "-n", NAMESPACE, check=True)
    # Roles are put together by a controller.
    eventually(lambda: may(kubectl, "editor", "delete", CLUSTERS), "the roles are put together")
    eventually(lambda: may(kubectl, "writer", "create", WORKERS[0]), "the roles are bound")
    yield kubectl
    kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def may(kubectl: Kubectl, user: str, verb: str, resource: str, *flags: str) -> bool:
    asked = ("auth", "can-i", verb, resource, f"--as={user}", *(flags or ("-n", NAMESPACE)))
    return kubectl(*asked).stdout.strip() == "yes"


def test_who_may_view_a_namespace_reads_our_kinds_and_changes_none(bound: Kubectl) -> None:
    for resource in (*WORKERS, *OTHERS):
        assert may(bound, "viewer", "list", resource), resource
    assert not may(bound, "viewer", "patch", WORKERS[0])
    assert not may(bound, "viewer", "list", WORKERS[0], "-n", "default")


def test_who_may_edit_a_namespace_changes_our_kinds(bound: Kubectl) -> None:
    for resource in (*WORKERS, *OTHERS):
        assert may(bound, "editor", "delete", resource), resource

    done = bound("create", "-f", "-", "--as=editor", input=json.dumps(VERSION))

    assert done.returncode == 0, done.stderr
    assert bound("get", "workerversions.api.cf-worker", "one", "--as=viewer", "-n", NAMESPACE).returncode == 0


def test_neither_role_of_workers_leads_to_secrets_or_to_what_only_controllers_write(bound: Kubectl) -> None:
    for user in ("reader", "writer"):
        assert may(bound, user, "get" if user == "reader" else "create", WORKERS[0])
        for verb in ("get", "list", "create"):
            assert not may(bound, user, verb, "secrets")
        assert not may(bound, user, "patch", WORKERS[0], "-n", NAMESPACE, "--subresource=status")


def test_kubeconfigs_of_clusters_are_read_like_secrets_by_who_may_change_them(bound: Kubectl) -> None:
    assert not may(bound, "viewer", "get", CLUSTERS)
    assert may(bound, "editor", "get", CLUSTERS)
