"""kubectl explain, api-resources, api-versions, version, cluster-info."""

import json

from tests.component.program import Program


def test_fields_of_a_custom_resource_are_explained(sampled: Program) -> None:
    one = sampled("explain", "wd.spec.color")
    every = sampled("explain", "wd", "--recursive")

    assert "GROUP:      clients.example" in one
    assert "FIELD: color <string>" in one
    assert "The color of all of them." in one
    assert "ENUM:" in one
    for field in ("parts\t<[]Object>", "weight\t<integer>", "name\t<string> -required-", "ownerReferences"):
        assert field in every


def test_fields_of_a_built_in_kind_are_explained(sampled: Program) -> None:
    strategy = sampled("explain", "deployment.spec.strategy.rollingUpdate")
    every = sampled("explain", "pod", "--recursive")

    assert "KIND:       Deployment" in strategy
    assert "maxSurge\t<IntOrString>" in strategy
    assert "terminationGracePeriodSeconds\t<integer>" in every


def test_field_that_does_not_exist_is_refused(sampled: Program) -> None:
    assert 'field "colour" does not exist' in sampled("explain", "wd.spec.colour", code=1)


def test_resources_are_listed(sampled: Program) -> None:
    rows = {line.split()[0]: line.split() for line in sampled("api-resources", "-o", "wide").splitlines()}
    samples = sampled("api-resources", "--categories=samples", "-o", "name")
    cluster_wide = sampled("api-resources", "--namespaced=false", "--verbs=list", "-o", "name").split()

    assert rows["widgets"][:5] == ["widgets", "wd", "clients.example/v1", "true", "Widget"]
    assert rows["widgets"][5] == "delete,deletecollection,get,list,patch,create,update,watch"
    assert rows["deployments"][1] == "deploy"
    assert samples.split() == ["widgets.clients.example"]
    assert {"namespaces", "nodes", "clusterroles.rbac.authorization.k8s.io"} <= set(cluster_wide)
    assert "pods" not in cluster_wide


def test_versions_are_listed(sampled: Program) -> None:
    versions = sampled("api-versions").split()

    assert {"v1", "apps/v1", "batch/v1", "clients.example/v1", "rbac.authorization.k8s.io/v1"} <= set(versions)


def test_server_tells_its_version_and_address(sampled: Program) -> None:
    version = json.loads(sampled("version", "-o", "json"))

    assert version["serverVersion"]["major"] == "1"
    assert "is running at" in sampled("cluster-info")
