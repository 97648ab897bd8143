from typing import Any

import msgspec

from framework.apiserver.discovery import DiscoveryDocuments
from tests.unit.framework.apiserver.resources import a_definition, builtin, custom


def decoded(body: bytes | None) -> Any:
    assert body is not None
    return msgspec.json.decode(body)


def entry(documents: DiscoveryDocuments, group: str, version: str, name: str) -> Any:
    resources = decoded(documents.resource_list(group, version))["resources"]
    return next(one for one in resources if one["name"] == name)


def test_the_core_group_is_listed_by_its_versions() -> None:
    documents = DiscoveryDocuments(builtin(), server_address="127.0.0.1:6443")

    assert decoded(documents.core_versions) == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
    }


def test_built_in_groups_come_first_in_the_order_of_the_real_server_then_others_by_name() -> None:
    custom_resources = [*custom(a_definition("b.example")), *custom(a_definition("a.example"))]

    groups = decoded(DiscoveryDocuments([*custom_resources, *builtin()]).group_list)["groups"]

    names = [group["name"] for group in groups]
    assert names[:3] == ["apps", "events.k8s.io", "authentication.k8s.io"]
    assert names[-2:] == ["a.example", "b.example"]


def test_the_preferred_version_is_the_most_stable_then_the_newest() -> None:
    names = ["v1alpha1", "v10", "v2beta2", "foo1", "v2", "v2beta10", "foo10", "v1"]
    resources = [one for name in names for one in custom(a_definition(name=name))]

    group = decoded(DiscoveryDocuments(resources).group("example.com"))

    listed = [version["version"] for version in group["versions"]]
    assert listed == ["v10", "v2", "v1", "v2beta10", "v2beta2", "v1alpha1", "foo1", "foo10"]
    assert group["preferredVersion"] == {"groupVersion": "example.com/v10", "version": "v10"}


def test_what_is_not_served_has_no_document() -> None:
    documents = DiscoveryDocuments(builtin())

    assert documents.group("example.com") is None
    assert documents.group("") is None
    assert documents.resource_list("apps", "v2") is None


def test_a_custom_resource_is_listed_with_its_subresources() -> None:
    definition = a_definition(subresources={"status": {}, "scale": {}})

    document = decoded(DiscoveryDocuments(custom(definition)).resource_list("example.com", "v1"))

    assert document == {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "example.com/v1",
        "resources": [
            {
                "name": "widgets",
                "singularName": "widget",
                "namespaced": True,
                "kind": "Widget",
                "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
                "storageVersionHash": "gIwvi5rymmg=",
            },
            {
                "name": "widgets/status",
                "singularName": "",
                "namespaced": True,
                "kind": "Widget",
                "verbs": ["get", "patch", "update"],
            },
            {
                "name": "widgets/scale",
                "singularName": "",
                "namespaced": True,
                "group": "autoscaling",
                "version": "v1",
                "kind": "Scale",
                "verbs": ["get", "patch", "update"],
            },
        ],
    }


def test_subresources_of_built_in_kinds_name_what_they_take() -> None:
    documents = DiscoveryDocuments(builtin())

    assert entry(documents, "", "v1", "serviceaccounts/token") == {
        "name": "serviceaccounts/token",
        "singularName": "",
        "namespaced": True,
        "group": "authentication.k8s.io",
        "version": "v1",
        "kind": "TokenRequest",
        "verbs": ["create"],
    }


def test_objects_that_two_groups_serve_have_one_storage_version() -> None:
    documents = DiscoveryDocuments(builtin())

    core = entry(documents, "", "v1", "events")["storageVersionHash"]
    other = entry(documents, "events.k8s.io", "v1", "events")["storageVersionHash"]

    assert core == other == "r2yiGXH7wu8="


def test_aggregated_discovery_holds_subresources_inside_their_resource() -> None:
    definition = a_definition(subresources={"status": {}})

    document = decoded(DiscoveryDocuments(custom(definition)).aggregated_groups.body)

    kind = {"group": "example.com", "version": "v1", "kind": "Widget"}
    [group] = document["items"]
    [version] = group["versions"]
    assert group["metadata"] == {"name": "example.com"}
    assert version["freshness"] == "Current"
    assert version["resources"] == [
        {
            "resource": "widgets",
            "responseKind": kind,
            "scope": "Namespaced",
            "singularResource": "widget",
            "verbs": ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
            "subresources": [{"subresource": "status", "responseKind": kind, "verbs": ["get", "patch", "update"]}],
        }
    ]


def test_the_tag_changes_exactly_when_the_resources_do() -> None:
    before = DiscoveryDocuments(builtin()).aggregated_groups.etag

    assert DiscoveryDocuments(builtin()).aggregated_groups.etag == before
    assert DiscoveryDocuments([*builtin(), *custom(a_definition())]).aggregated_groups.etag != before
