from typing import Any

import msgspec

from framework.apiserver.openapi import OpenApiDocuments
from tests.unit.framework.apiserver.resources import a_definition, builtin, custom


def v3(documents: OpenApiDocuments, path: str) -> Any:
    document = documents.v3(path)
    assert document is not None
    return msgspec.json.decode(document.body)


def hashes(documents: OpenApiDocuments) -> dict[str, str]:
    paths = msgspec.json.decode(documents.v3_index)["paths"]
    return {path: entry["serverRelativeURL"] for path, entry in paths.items()}


def query_parameters(item: Any, method: str) -> set[str]:
    return {one["name"] for one in (*item["parameters"], *item[method].get("parameters", ())) if one["in"] == "query"}


def test_the_index_names_every_group_and_version_with_the_hash_of_its_document() -> None:
    definition = a_definition()
    documents = OpenApiDocuments([*builtin(), *custom(definition)], [definition])

    paths = hashes(documents)

    assert {"api/v1", "apis/apps/v1", "apis/example.com/v1"} <= set(paths)
    document = documents.v3("apis/example.com/v1")
    assert document is not None
    assert paths["apis/example.com/v1"] == f"/openapi/v3/apis/example.com/v1?hash={document.etag}"


def test_a_change_of_one_definition_changes_the_hash_of_its_group_only() -> None:
    old = a_definition(schema={"openAPIV3Schema": {"type": "object"}})
    new = a_definition(schema={"openAPIV3Schema": {"type": "object", "description": "changed"}})
    resources = [*builtin(), *custom(old)]
    before = OpenApiDocuments(resources, [old])

    after = OpenApiDocuments(resources, [new], previous=before)

    changed = {path for path, url in hashes(after).items() if hashes(before)[path] != url}
    assert changed == {"apis/example.com/v1"}


def test_documents_that_a_change_does_not_concern_are_not_built_again() -> None:
    resources = builtin()
    before = OpenApiDocuments(resources)
    document = before.v3("apis/apps/v1")
    definition = a_definition()

    after = OpenApiDocuments([*resources, *custom(definition)], [definition], previous=before)

    assert after.v3("apis/apps/v1") is document


def test_every_request_for_a_custom_resource_is_described() -> None:
    definition = a_definition(subresources={"status": {}, "scale": {}})

    paths = v3(OpenApiDocuments(custom(definition), [definition]), "apis/example.com/v1")["paths"]

    root = "/apis/example.com/v1"
    named = f"{root}/namespaces/{{namespace}}/widgets"
    methods = {path: {method for method in item if method != "parameters"} for path, item in paths.items()}
    assert methods == {
        f"{root}/widgets": {"get"},
        named: {"get", "post", "delete"},
        f"{named}/{{name}}": {"get", "put", "patch", "delete"},
        f"{named}/{{name}}/status": {"get", "put", "patch"},
        f"{named}/{{name}}/scale": {"get", "put", "patch"},
    }


def test_a_patch_takes_the_parameters_that_clients_look_for() -> None:
    item = v3(OpenApiDocuments(builtin()), "api/v1")["paths"]["/api/v1/namespaces/{namespace}/configmaps/{name}"]

    assert query_parameters(item, "patch") == {
        "dryRun",
        "fieldManager",
        "fieldValidation",
        "force",
        "pretty",
    }
    assert item["patch"]["x-kubernetes-action"] == "patch"
    assert item["patch"]["x-kubernetes-group-version-kind"] == {"group": "", "version": "v1", "kind": "ConfigMap"}


def test_only_built_in_kinds_take_strategic_merge_patches() -> None:
    definition = a_definition()
    documents = OpenApiDocuments([*builtin(), *custom(definition)], [definition])

    own = v3(documents, "apis/apps/v1")["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]
    other = v3(documents, "apis/example.com/v1")["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]

    strategic = "application/strategic-merge-patch+json"
    assert strategic in own["patch"]["requestBody"]["content"]
    assert strategic not in other["patch"]["requestBody"]["content"]


def test_every_reference_leads_to_a_schema() -> None:
    definition = a_definition(subresources={"scale": {}})
    documents = OpenApiDocuments([*builtin(), *custom(definition)], [definition])

    for path in hashes(documents):
        text = documents.v3(path)
        assert text is not None
        document = msgspec.json.decode(text.body)
        referred = {one.split('"')[0] for one in text.body.decode().split('"#/components/schemas/')[1:]}
        assert referred <= set(document["components"]["schemas"]), path


def test_version_two_describes_everything_in_one_document() -> None:
    definition = a_definition()

    document = msgspec.json.decode(OpenApiDocuments([*builtin(), *custom(definition)], [definition]).v2.body)

    assert document["swagger"] == "2.0"
    assert {"io.k8s.api.core.v1.Pod", "com.example.v1.Widget", "com.example.v1.WidgetList"} <= set(
        document["definitions"]
    )
    assert document["definitions"]["io.k8s.apimachinery.pkg.api.resource.Quantity"]["type"] == "string"
    assert "/apis/example.com/v1/widgets" in document["paths"]
