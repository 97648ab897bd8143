"""How a resource is named: kinds, resource types, keys."""

from typing import Literal, NamedTuple

import msgspec

Scope = Literal["Namespaced", "Cluster"]


class GroupVersionKind(NamedTuple):
    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @classmethod
    def parse(cls, api_version: str, kind: str) -> "GroupVersionKind":
        group, _, version = api_version.rpartition("/")
        return cls(group, version, kind)


class Key(NamedTuple):
    """Where an object is found inside its resource type; the namespace of a cluster-scoped object is empty."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @classmethod
    def parse(cls, text: str) -> "Key":
        namespace, _, name = text.rpartition("/")
        return cls(namespace, name)


class Request(NamedTuple):
    """What a reconciler is asked to look at: a key, never an event."""

    key: Key
    cluster: str = ""

    @property
    def namespace(self) -> str:
        return self.key.namespace

    @property
    def name(self) -> str:
        return self.key.name

    def __str__(self) -> str:
        return f"{self.cluster}:{self.key}" if self.cluster else str(self.key)


class ResourceType(msgspec.Struct, frozen=True):
    """A kind together with the plural under which the server offers it."""

    gvk: GroupVersionKind
    plural: str
    scope: Scope = "Namespaced"

    @property
    def is_namespaced(self) -> bool:
        return self.scope == "Namespaced"

    @property
    def name(self) -> str:
        """Plural and group as kubectl and RBAC messages write them, e.g. `deployments.apps`."""
        return f"{self.plural}.{self.gvk.group}" if self.gvk.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL path; without a namespace it spans all of them."""
        group, version, _ = self.gvk
        parts = [f"/apis/{group}/{version}" if group else f"/api/{version}"]
        if namespace and self.is_namespaced:
            parts.append(f"namespaces/{namespace}")
        parts.append(self.plural)
        parts.extend(part for part in (name, subresource) if part)
        return "/".join(parts)

    def __str__(self) -> str:
        return self.name
