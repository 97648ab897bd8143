"""Which objects in other namespaces a controller may be sent to by the objects it serves.

Whoever may create a custom resource in one namespace could otherwise use the
rights of the controller in all others.
"""

from collections.abc import Iterable

import msgspec

from apis.meta import Key, KubeObject, ResourceType, resource_type_of
from framework.errors import TerminalError


class Grant(msgspec.Struct, frozen=True):
    """One declaration: objects in *from_namespace* may name *kind* in *namespace*; `*` is any.

    *name* narrows it to one object.
    """

    kind: type[KubeObject] | ResourceType
    namespace: str
    from_namespace: str = "*"
    name: str = "*"

    def covers(self, source: str, resource_type: ResourceType, target: Key) -> bool:
        # Not the version: a grant is for the resource, in whatever version it is named.
        granted, asked = _resource_type(self.kind).gvk, resource_type.gvk
        return (
            (granted.group, granted.kind) == (asked.group, asked.kind)
            and self.from_namespace in {"*", source}
            and self.namespace in {"*", target.namespace}
            and self.name in {"*", target.name}
        )


class References:
    """What a controller declared when it was registered; without grants nothing leaves its namespace."""

    def __init__(self, grants: Iterable[Grant] = ()) -> None:
        self._grants = tuple(grants)

    def check_reference(
        self, from_obj: KubeObject, kind: type[KubeObject] | ResourceType, namespace: str, name: str
    ) -> Key:
        """The key of what *from_obj* names; an empty *namespace* is its own. TerminalError if it may not name that.

        Objects of cluster-scoped kinds are no namespace's; a namespaced object
        needs a grant (with an empty namespace) for them too. A cluster-scoped
        *from_obj* was made by somebody with rights in the whole cluster, and may name everything.
        """
        source, resource_type = from_obj.metadata.namespace, _resource_type(kind)
        target = Key((namespace or source) if resource_type.is_namespaced else "", name)
        if not source or target.namespace == source:
            return target
        if any(grant.covers(source, resource_type, target) for grant in self._grants):
            return target
        where = f"in namespace {target.namespace!r}" if target.namespace else "of the whole cluster"
        raise TerminalError(
            f"{from_obj.key} refers to {resource_type.gvk.kind} {name!r} {where}, which is not allowed from "
            f"{source!r}; refer to one in {source!r}, or declare a Grant where the controller is registered"
        )


def _resource_type(kind: type[KubeObject] | ResourceType) -> ResourceType:
    return kind if isinstance(kind, ResourceType) else resource_type_of(kind)
