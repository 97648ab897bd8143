"""Who may own whom, and how children are found by their owner."""

from collections.abc import Mapping
from typing import Any

from apis.meta import Key, KubeObject, OwnerReference, ResourceType
from framework.errors import TerminalError

# The name under which informers file objects by the uid of their controller.
CONTROLLER_INDEX = "windlass/controller-uid"


def controller_uids(obj: KubeObject) -> tuple[str, ...]:
    """The index function of `CONTROLLER_INDEX`."""
    controller = obj.metadata.controller_owner
    return () if controller is None else (controller.uid,)


def owner_reference(
    owner: KubeObject, owner_type: ResourceType, child_type: ResourceType, child: Key
) -> OwnerReference:
    """The reference by which *owner* controls *child*.

    TerminalError where the garbage collector would look for the owner in the
    wrong place, find none, and delete the child.
    """
    check_scopes(owner, owner_type, child_type, child)
    if not owner.metadata.uid:
        raise TerminalError(
            f"{owner_type.gvk.kind} {owner.key} has no uid and cannot own {child_type.gvk.kind} {child}; "
            "create it first and use the object that the server or the cache gives"
        )
    return OwnerReference(
        api_version=owner_type.gvk.api_version,
        kind=owner_type.gvk.kind,
        name=owner.metadata.name,
        uid=owner.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )


def check_scopes(owner: KubeObject, owner_type: ResourceType, child_type: ResourceType, child: Key) -> None:
    what = f"{owner_type.gvk.kind} {owner.key} cannot own {child_type.gvk.kind} {child}"
    if child_type.is_namespaced and not child.namespace:
        raise TerminalError(f"{what}: the child needs a namespace; set its metadata.namespace")
    if not child_type.is_namespaced and child.namespace:
        raise TerminalError(f"{what}: {child_type.name} are cluster-scoped; remove metadata.namespace of the child")
    if not owner_type.is_namespaced:
        return
    if not child_type.is_namespaced:
        raise TerminalError(
            f"{what}: the owner is namespaced and the child is cluster-scoped; "
            "delete the child in a finalizer of the owner instead"
        )
    if child.namespace != owner.metadata.namespace:
        raise TerminalError(
            f"{what}: an owner must be in the child's namespace; "
            f"put the child into {owner.metadata.namespace!r}, or delete it in a finalizer of the owner"
        )


def controller_of(content: Mapping[str, Any]) -> Mapping[str, Any] | None:
    references = content.get("metadata", {}).get("ownerReferences", ())
    return next((dict(each) for each in references if each.get("controller")), None)
