"""Whether a kind is gone, and all its objects with it."""

from typing import Any

from apis.meta import GroupVersionKind, Key, ResourceType, declaration_of
from framework.client import Client
from framework.errors import NotFound, WindlassError

DEFINITIONS = ResourceType(
    GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), "customresourcedefinitions", "Cluster"
)


def is_gone(kind: Any, resource_type: ResourceType, client: Client) -> bool:
    """Whether the API server itself says that nothing defines *kind* any more: then no object of it exists.

    That the resource is not found proves nothing. A proxy says so too, and a
    server that no longer serves this version of objects that live on. Without
    the right to read definitions there is no proof.
    """
    if not _has_definition(kind, resource_type):
        return False
    try:
        client.get(DEFINITIONS, Key("", resource_type.name))
    except NotFound as error:
        # With these details: not the "404 page not found" of whoever else may answer.
        return (error.details.kind, error.details.name) == (DEFINITIONS.plural, resource_type.name)
    except WindlassError:
        return False
    return False


def _has_definition(kind: Any, resource_type: ResourceType) -> bool:
    if isinstance(kind, type):
        return not declaration_of(kind).builtin
    # Nobody said whether it is built in. Of the groups of Kubernetes itself most are, and have no definition at all.
    group = resource_type.gvk.group
    return "." in group and not group.endswith(".k8s.io")
