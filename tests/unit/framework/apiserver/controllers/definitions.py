"""A custom kind for tests of controllers."""

from framework.apiserver.objects import Object

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
THING = f"{DEFINITIONS}/things.example.com"


def thing_definition(*, served: bool = True) -> Object:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": served, "storage": True, "schema": schema}
    names = {"kind": "Thing", "plural": "things"}
    return {
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    }


def things(name: str = "", namespace: str = "default") -> str:
    return f"/apis/example.com/v1/namespaces/{namespace}/things" + (f"/{name}" if name else "")


def thing(name: str, *finalizers: str) -> Object:
    metadata: Object = {"name": name}
    if finalizers:
        metadata["finalizers"] = list(finalizers)
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata}
