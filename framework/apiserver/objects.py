"""What everything in the server passes around."""

from typing import Any, NamedTuple, TypeAlias

# One API object as decoded JSON. Whoever gets one from storage may keep it, but must copy before changing it.
Object: TypeAlias = dict[str, Any]


class GroupResource(NamedTuple):
    """What storage, RBAC and error messages name a kind by, e.g. `deployments.apps`."""

    group: str
    resource: str

    def __str__(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


class GroupKind(NamedTuple):
    """What messages about invalid objects name a kind by, e.g. `Deployment.apps`."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind
