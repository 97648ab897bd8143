"""Which object an event is about."""

import re

import msgspec

from apis.meta import GroupVersionKind, KubeObject, Unstructured, resource_type_of

# Leaves room for what makes the name of an event unique.
_LONGEST_NAME = 200
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


class Reference(msgspec.Struct, frozen=True, rename="camel"):
    """Names an object whatever its version.

    client-go compares versions as well: there an object that is written
    between two events starts a new Event each time.
    """

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str

    @classmethod
    def to(cls, obj: KubeObject) -> "Reference":
        gvk, metadata = _kind_of(obj), obj.metadata
        return cls(gvk.api_version, gvk.kind, metadata.namespace, metadata.name, metadata.uid)

    @property
    def event_namespace(self) -> str:
        # Events about cluster-scoped objects live in the namespace default, as the API server demands.
        return self.namespace or "default"

    @property
    def event_name(self) -> str:
        """The name of the object, as far as an event may have it: roles may be called `system:node`, events not."""
        short = self.name[:_LONGEST_NAME].rstrip("-.")
        return short if _SUBDOMAIN.fullmatch(short) else "event"

    def content(self, resource_version: str) -> dict[str, str]:
        return {**msgspec.to_builtins(self), "resourceVersion": resource_version}


def _kind_of(obj: KubeObject) -> GroupVersionKind:
    if isinstance(obj, Unstructured):
        return GroupVersionKind.parse(obj.content["apiVersion"], obj.content["kind"])
    return resource_type_of(type(obj)).gvk
