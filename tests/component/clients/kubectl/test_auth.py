"""kubectl auth, --as, and tokens."""

import json
from pathlib import Path

import pytest

from framework.testing.control_plane.waiting import wait_until
from tests.component.program import Program

RUNNER = "runner"


@pytest.fixture
def account(kubectl: Program, namespace: str) -> str:
    """A service account that may read ConfigMaps here."""
    kubectl("create", "serviceaccount", RUNNER)
    kubectl("create", "role", "reader", "--verb=get,list", "--resource=configmaps")
    kubectl("create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={namespace}:{RUNNER}")
    return f"system:serviceaccount:{namespace}:{RUNNER}"


def test_rights_are_told_by_exit_code(kubectl: Program, account: str) -> None:
    assert kubectl("auth", "can-i", "create", "deployments.apps/scale") == "yes\n"
    assert kubectl("auth", "can-i", "list", "configmaps", f"--as={account}") == "yes\n"
    assert kubectl("auth", "can-i", "list", "secrets", f"--as={account}", code=1).startswith("no")
    assert kubectl("auth", "can-i", "list", "configmaps", "-n", "default", f"--as={account}", code=1).startswith("no")


def test_all_rights_are_listed(kubectl: Program, account: str) -> None:
    rows = [line.split() for line in kubectl("auth", "can-i", "--list", f"--as={account}").splitlines()]

    assert ["configmaps", "[]", "[]", "[get", "list]"] in rows


def test_who_one_is(kubectl: Program) -> None:
    myself = json.loads(kubectl("auth", "whoami", "-o", "json"))["status"]["userInfo"]
    other = json.loads(kubectl("auth", "whoami", "-o", "json", "--as=alice", "--as-group=people"))["status"]["userInfo"]

    assert "system:masters" in myself["groups"]
    assert (other["username"], other["groups"]) == ("alice", ["people", "system:authenticated"])


def test_who_has_no_right_is_refused_with_the_reason(kubectl: Program, namespace: str) -> None:
    refused = kubectl("get", "secrets", "--as=alice", code=1)
    also_refused = kubectl("create", "configmap", "x", "--as=alice", code=1)

    where = f'in API group "" in the namespace "{namespace}"'
    assert f'(Forbidden): secrets is forbidden: User "alice" cannot list resource "secrets" {where}' in refused
    assert f'User "alice" cannot create resource "configmaps" {where}' in also_refused


def test_right_that_one_lacks_cannot_be_given_away(kubectl: Program) -> None:
    kubectl("create", "rolebinding", "admin", "--clusterrole=admin", "--user=alice")
    grant = ("create", "clusterrole", "--as=alice")

    refused = kubectl(*grant, "everything", "--verb=*", "--resource=*", code=1)

    assert "(Forbidden)" in refused


def test_token_of_a_service_account_gives_its_rights(kubectl: Program, account: str, tmp_path: Path) -> None:
    token = kubectl("create", "token", RUNNER, "--duration=1h")

    as_account = token_only(kubectl, token, tmp_path)
    who = json.loads(as_account("auth", "whoami", "-o", "json"))["status"]["userInfo"]
    refused = as_account("get", "secrets", code=1)
    as_account("get", "configmaps")

    assert who["username"] == account
    assert "system:serviceaccounts" in who["groups"]
    assert f'User "{account}" cannot list resource "secrets"' in refused


def test_token_bound_to_an_object_ends_with_it(kubectl: Program, account: str, tmp_path: Path) -> None:
    kubectl("create", "secret", "generic", "binding")
    token = kubectl("create", "token", RUNNER, "--bound-object-kind=Secret", "--bound-object-name=binding")
    as_account = token_only(kubectl, token, tmp_path)
    as_account("get", "configmaps")

    kubectl("delete", "secret", "binding")

    # The real server remembers a good token for ten seconds.
    refused = wait_until(lambda: as_account.run("get", "configmaps").returncode != 0, limit_seconds=20.0)
    assert refused
    assert "You must be logged in to the server (Unauthorized)" in as_account("get", "configmaps", code=1)


def token_only(kubectl: Program, token: str, folder: Path) -> Program:
    """The same kubectl, without the administrator's certificate."""
    config = json.loads(kubectl("config", "view", "--raw", "--flatten", "--minify", "-o", "json"))
    config["users"][0]["user"] = {"token": token}
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config))
    return kubectl.with_arguments("--kubeconfig", str(path))


def test_roles_are_reconciled(kubectl: Program, namespace: str) -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "reader", "namespace": namespace},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }

    said = kubectl("auth", "reconcile", "-f", "-", stdin=json.dumps(role))

    assert "reader reconciled" in said
    assert kubectl("get", "role", "reader", "-o", "jsonpath={.rules[0].resources}") == '["pods"]'
