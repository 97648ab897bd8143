"""The life of a release."""

import json
from typing import Any

import pytest

from tests.component.clients.helm.conftest import CHART, Objects
from tests.component.program import Program

KINDS = (
    "configmaps",
    "secrets",
    "serviceaccounts",
    "roles",
    "rolebindings",
    "deployments",
    "poddisruptionbudgets",
    "shelves",
    "services",
    "ingresses",
    "networkpolicies",
)
WAIT = ("--wait", "--timeout=60s")


def install(helm: Program, *flags: str, code: int = 0) -> str:
    return helm("install", "shop", CHART, *flags, code=code)


def status(helm: Program) -> Any:
    return json.loads(helm("status", "shop", "-o", "json"))


def history(helm: Program) -> list[tuple[int, str]]:
    return [(one["revision"], one["status"]) for one in json.loads(helm("history", "shop", "-o", "json"))]


def test_installed_release_has_all_its_objects_ready(helm: Program, objects: Objects) -> None:
    said = install(helm, *WAIT)

    assert "shop is blue." in said
    assert [kind for kind in KINDS if "shop" not in objects(kind)] == []
    assert objects("deployments")["shop"]["status"]["readyReplicas"] == 2
    assert objects("jobs")["shop-migrate"]["status"]["succeeded"] == 1
    assert (status(helm)["info"]["status"], status(helm)["version"]) == ("deployed", 1)


def test_releases_are_listed(helm: Program, namespace: str) -> None:
    install(helm)

    (release,) = json.loads(helm("list", "-o", "json"))

    assert (release["name"], release["namespace"], release["status"]) == ("shop", namespace, "deployed")
    assert release["chart"] == "shop-1.0.0"


def test_templates_see_the_cluster(helm: Program, objects: Objects) -> None:
    install(helm)
    first = objects("configmaps")["shop"]["data"]

    helm("upgrade", "shop", CHART)

    assert (first["before"], first["hasDeployments"]) == ("nothing", "true")
    assert int(first["namespaces"]) >= 2
    assert objects("configmaps")["shop"]["data"]["before"] == "shop"


def test_upgrade_changes_what_the_values_say_and_rollback_undoes_it(helm: Program, objects: Objects) -> None:
    install(helm)

    helm("upgrade", "shop", CHART, "--set=color=red,replicas=1")
    upgraded = (objects("configmaps")["shop"]["data"]["color"], objects("deployments")["shop"]["spec"]["replicas"])
    helm("rollback", "shop", "1", *WAIT)

    assert upgraded == ("red", 1)
    assert objects("configmaps")["shop"]["data"]["color"] == "blue"
    assert objects("deployments")["shop"]["status"]["readyReplicas"] == 2
    assert history(helm) == [(1, "superseded"), (2, "superseded"), (3, "deployed")]


def test_upgrade_keeps_what_others_have_changed_meanwhile(helm: Program, objects: Objects, kubectl: Program) -> None:
    install(helm)
    kubectl("annotate", "deploy/shop", "note=mine")

    helm("upgrade", "shop", CHART, "--set=image=registry.example/shop:2")

    deployment = objects("deployments")["shop"]
    assert deployment["metadata"]["annotations"]["note"] == "mine"
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example/shop:2"


def test_uninstalled_release_leaves_only_what_helm_leaves_everywhere(helm: Program, objects: Objects) -> None:
    install(helm)

    helm("uninstall", "shop", *WAIT)

    assert json.loads(helm("list", "--all", "-o", "json")) == []
    assert [kind for kind in KINDS if "shop" in objects(kind)] == []
    # The hook of the installation stays, that of the end was deleted as it had succeeded.
    assert set(objects("jobs")) == {"shop-migrate"}


def test_test_of_a_release_succeeds(helm: Program) -> None:
    install(helm)

    assert "Phase:          Succeeded" in helm("test", "shop", "--timeout=60s")


def test_dry_run_by_the_server_renders_and_stores_nothing(helm: Program, objects: Objects) -> None:
    rendered = install(helm, "--dry-run=server")

    assert "kind: Deployment" in rendered
    assert 'hasDeployments: "true"' in rendered
    assert objects("deployments") == {}
    assert json.loads(helm("list", "--all", "-o", "json")) == []


def test_failed_atomic_installation_leaves_nothing(helm: Program, objects: Objects) -> None:
    said = install(helm, "--set=isBroken=true", "--atomic", "--timeout=60s", code=1)

    assert "spec.boards" in said
    assert "should be greater than or equal to 1" in said
    assert json.loads(helm("list", "--all", "-o", "json")) == []
    assert [kind for kind in KINDS if "shop" in objects(kind)] == []


def test_failed_atomic_upgrade_goes_back(helm: Program, objects: Objects) -> None:
    install(helm)

    said = helm("upgrade", "shop", CHART, "--set=isBroken=true,color=red", "--atomic", "--timeout=60s", code=1)

    assert "release shop failed, and has been rolled back due to atomic being set" in said
    assert history(helm) == [(1, "superseded"), (2, "failed"), (3, "deployed")]
    assert objects("configmaps")["shop"]["data"]["color"] == "blue"


def test_release_whose_pods_never_become_ready_fails_in_time(helm: Program) -> None:
    said = install(helm, "--set=isStuck=true", "--wait", "--timeout=4s", code=1)

    assert "context deadline exceeded" in said
    assert status(helm)["info"]["status"] == "failed"


def test_object_of_somebody_else_is_not_taken(helm: Program, kubectl: Program) -> None:
    kubectl("create", "configmap", "shop")

    said = install(helm, code=1)

    assert 'ConfigMap "shop"' in said
    assert "exists and cannot be imported into the current release" in said


@pytest.mark.parametrize("driver", ["configmap", "secret"])
def test_release_is_kept_in_the_cluster(driver: str, helm: Program, objects: Objects) -> None:
    helm.with_environment(HELM_DRIVER=driver)("install", "shop", CHART)

    assert "sh.helm.release.v1.shop.v1" in objects(f"{driver}s")
