"""The kinds that programs are about."""

from typing import Any

import msgspec

from tests.conformance.kinds import GROUP


class Subject(msgspec.Struct, frozen=True):
    api_version: str
    kind: str
    plural: str
    is_namespaced: bool = True
    # What a body has unless the step says otherwise.
    content: dict[str, Any] = {}

    def path(self, namespace: str, name: str = "", subresource: str = "") -> str:
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        scope = f"namespaces/{namespace}" if self.is_namespaced and namespace else ""
        return "/".join(part for part in (root, scope, self.plural, name, subresource) if part)

    def body(self, name: str, content: dict[str, Any]) -> dict[str, Any]:
        """*content* with what every object has, where *content* does not have it."""
        metadata = content.get("metadata", {})
        if name and isinstance(metadata, dict) and "generateName" not in metadata:
            metadata = {"name": name, **metadata}
        return {"apiVersion": self.api_version, "kind": self.kind, **self.content, **content, "metadata": metadata}


_POD_TEMPLATE = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"name": "main", "image": "one"}]},
}

SUBJECTS = {
    "widget": Subject(f"{GROUP}/v1", "Widget", "widgets"),
    "gadget": Subject(f"{GROUP}/v1", "Gadget", "gadgets", is_namespaced=False),
    "configmap": Subject("v1", "ConfigMap", "configmaps"),
    "secret": Subject("v1", "Secret", "secrets"),
    "service": Subject("v1", "Service", "services", content={"spec": {"ports": [{"port": 1}]}}),
    "deployment": Subject(
        "apps/v1",
        "Deployment",
        "deployments",
        content={"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": _POD_TEMPLATE}},
    ),
}
