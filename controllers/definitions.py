"""The definitions of our kinds, made from the types and put on a server."""

from collections.abc import Sequence

from apis.meta import GroupVersionKind, KubeObject, ResourceType
from apis.registry import CUSTOM_KINDS
from apis.schema import crds_of
from framework.client import Client

_DEFINITION = ResourceType(
    GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), "customresourcedefinitions", "Cluster"
)


def install_crds(client: Client, kinds: Sequence[type[KubeObject]] = CUSTOM_KINDS) -> list[str]:
    """Apply the definitions of *kinds*; their names. They are there, which is not yet: served."""
    definitions = crds_of(kinds)
    for definition in definitions:
        client.apply(_DEFINITION, definition)
    return [definition["metadata"]["name"] for definition in definitions]
