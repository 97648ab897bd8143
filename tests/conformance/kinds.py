"""The custom resources that the conformance cases use."""

from typing import Any

GROUP = "conformance.windlass.dev"


def definition(kind: str, schema: Any, *, scope: str = "Namespaced", **version: Any) -> dict[str, Any]:
    plural = kind.lower() + "s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": scope,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
            ],
        },
    }


_WIDGET_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "minimum": 0, "maximum": 100},
                "color": {"type": "string", "enum": ["red", "green", "blue"], "default": "red"},
                "name": {"type": "string", "maxLength": 20},
                "replicas": {"type": "integer"},
                "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "ports": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "number": {"type": "integer"}},
                    },
                },
                "args": {"type": "array", "items": {"type": "string"}},
                "settings": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "x-kubernetes-validations": [
                {
                    "rule": "!has(oldSelf.name) || (has(self.name) && self.name == oldSelf.name)",
                    "message": "name is immutable",
                }
            ],
        },
        "status": {
            "type": "object",
            "properties": {
                "phase": {"type": "string"},
                "replicas": {"type": "integer"},
                "selector": {"type": "string"},
                "conditions": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    "items": {
                        "type": "object",
                        "required": ["type", "status"],
                        "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
                    },
                },
            },
        },
    },
}

WIDGET = definition(
    "Widget",
    _WIDGET_SCHEMA,
    subresources={
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        },
    },
    selectableFields=[{"jsonPath": ".spec.color"}],
    additionalPrinterColumns=[
        {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
        {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
    ],
)
# Without a status subresource, and in no namespace.
GADGET = definition("Gadget", {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, scope="Cluster")
DEFINITIONS = (WIDGET, GADGET)


def widgets(namespace: str, name: str = "", subresource: str = "") -> str:
    parts = [f"/apis/{GROUP}/v1/namespaces/{namespace}/widgets", name, subresource]
    return "/".join(part for part in parts if part)


def gadgets(name: str = "") -> str:
    return f"/apis/{GROUP}/v1/gadgets" + (f"/{name}" if name else "")


def widget(name: str = "one", /, *, labels: Any = None, **spec: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": metadata, "spec": spec}


def gadget(name: str = "one", /, **content: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Gadget", "metadata": {"name": name}, **content}


def config_map(name: str = "one", /, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def config_maps(namespace: str, name: str = "") -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps" + (f"/{name}" if name else "")


def pod(name: str = "one", /, *, node: str = "", **spec: Any) -> dict[str, Any]:
    """A pod that nobody schedules or runs; on *node*, a deletion waits for its kubelet."""
    container = {"name": "main", "image": "example.com/image"}
    placed = {"nodeName": node} if node else {}
    content = {"containers": [container], "automountServiceAccountToken": False, **placed, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": content}


def pods(namespace: str, name: str = "", subresource: str = "") -> str:
    return "/".join(part for part in (f"/api/v1/namespaces/{namespace}/pods", name, subresource) if part)


def deployment(name: str = "one", /, **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "example.com/image"}]},
    }
    content = {"selector": {"matchLabels": labels}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": content}


def deployments(namespace: str, name: str = "", subresource: str = "") -> str:
    parts = [f"/apis/apps/v1/namespaces/{namespace}/deployments", name, subresource]
    return "/".join(part for part in parts if part)


def lease(name: str = "one", /, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": spec}


def leases(namespace: str, name: str = "") -> str:
    return f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases" + (f"/{name}" if name else "")
