import json

from framework.apiserver.builtin import builtin_resources, definitions, described, descriptions


def test_every_reference_leads_to_a_definition() -> None:
    text = json.dumps(definitions())
    referenced = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}

    assert referenced <= definitions().keys()


def test_every_resource_has_a_schema_and_so_has_its_list() -> None:
    for resource in builtin_resources():
        assert resource.schema in definitions()
        assert resource.is_virtual or resource.schema + "List" in definitions()


def test_definitions_have_no_descriptions_until_they_are_asked_for() -> None:
    name = "io.k8s.api.apps.v1.DeploymentSpec"

    shown = described(name)

    assert "description" not in definitions()[name]["properties"]["replicas"]
    assert shown["properties"]["replicas"]["description"].startswith("Number of desired pods.")
    assert shown["description"] == descriptions()[name][""]


def test_merge_keys_and_list_types_are_kept() -> None:
    containers = definitions()["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"]

    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert containers["x-kubernetes-list-map-keys"] == ["name"]
