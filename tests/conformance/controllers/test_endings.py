"""What namespaces and definitions tell about themselves while they are being deleted."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.kinds import GROUP, config_map, config_maps, definition

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HOLD = "example.com/hold"
REMAINING = "Some content in the namespace has finalizers remaining"
pytestmark = pytest.mark.behaviour("B19", "B43")


def told(obj: Any) -> dict[str, tuple[str, str, str]]:
    found = (obj.get("status") or {}).get("conditions") or ()
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found}


def test_a_namespace_tells_what_is_left_in_it(api: Api, namespace: str) -> None:
    for name, finalizers in (("one", [HOLD]), ("two", [HOLD, "example.com/other"]), ("three", [])):
        obj = config_map(name)
        obj["metadata"]["finalizers"] = finalizers
        api.create(config_maps(namespace), obj)
    path = f"/api/v1/namespaces/{namespace}"

    api.delete(path)
    conditions = eventually(lambda: told(api.get(path).ok), lambda found: "NamespaceContentRemaining" in found)

    assert conditions == {
        "NamespaceDeletionDiscoveryFailure": ("False", "ResourcesDiscovered", "All resources successfully discovered"),
        "NamespaceDeletionGroupVersionParsingFailure": (
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        "NamespaceDeletionContentFailure": (
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        "NamespaceContentRemaining": (
            "True",
            "SomeResourcesRemain",
            "Some resources are remaining: configmaps. has 2 resource instances",
        ),
        "NamespaceFinalizersRemaining": (
            "True",
            "SomeFinalizersRemain",
            f"{REMAINING}: {HOLD} in 2 resource instances, example.com/other in 1 resource instances",
        ),
    }
    for name in ("one", "two"):
        api.patch(config_maps(namespace, name), {"metadata": {"finalizers": None}})


def test_a_definition_tells_that_it_waits_for_its_instances(api: Api, namespace: str) -> None:
    kind = "Fleeting" + namespace.removeprefix("test-")
    made = definition(kind, {"type": "object"})
    path = f"{DEFINITIONS}/{made['metadata']['name']}"
    instances = f"/apis/{GROUP}/v1/namespaces/{namespace}/{made['spec']['names']['plural']}"
    api.create(DEFINITIONS, made)
    eventually(lambda: api.get(instances).status, lambda status: status == 200)
    instance = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": "one", "finalizers": [HOLD]}}
    assert api.create(instances, instance).status == 201

    api.delete(path)
    conditions = eventually(
        lambda: told(api.get(path).ok), lambda found: found["Terminating"][1] != "InstanceDeletionPending"
    )

    assert conditions["Terminating"] == (
        "True",
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress",
    )
    held = eventually(lambda: api.get(f"{instances}/one").ok, lambda obj: "deletionTimestamp" in obj["metadata"])
    assert held["metadata"]["finalizers"] == [HOLD]
    plural = f"{made['spec']['names']['plural']}.{GROUP}"
    why = "create not allowed while custom resource definition is terminating"
    refusal = api.create(instances, {**instance, "metadata": {"name": "two"}})
    assert refusal.error == (403, "Forbidden", f'{plural} "two" is forbidden: {why}')
    api.patch(f"{instances}/one", {"metadata": {"finalizers": None}})
    eventually(lambda: api.get(path).status, lambda status: status == 404)
