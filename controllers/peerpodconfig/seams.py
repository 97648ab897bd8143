"""What the reconciler needs of others."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Node, Secret, ServiceAccount
from apis.meta import Unstructured, resource_type_of
from controllers.peerpodconfig.webhook.state import WebhookState
from controllers.peerpods.listing import Listing, LiveListing
from framework.client import Client


class WebhookRollout(Protocol):
    def apply(self, configs: Sequence[PeerPodConfig]) -> WebhookState:
        """Roll out what *configs* together ask for, or take it down if none wants it; nothing is written twice."""

    def remove(self) -> None:
        """Take it down, if it is there."""


class Objects(msgspec.Struct, frozen=True):
    """Where each kind is read from; all but configs and nodes in the operand namespace."""

    configs: Listing[Unstructured]
    nodes: Listing[Node]
    config_maps: Listing[ConfigMap]
    secrets: Listing[Secret]
    daemon_sets: Listing[DaemonSet]
    service_accounts: Listing[ServiceAccount]


def live_objects(client: Client, namespace: str) -> Objects:
    """Without caches: each reconcile asks the server."""
    configs = resource_type_of(PeerPodConfig)
    return Objects(
        configs=LiveListing(client, configs, configs),
        nodes=LiveListing(client, Node, resource_type_of(Node)),
        config_maps=LiveListing(client, ConfigMap, resource_type_of(ConfigMap), namespace),
        secrets=LiveListing(client, Secret, resource_type_of(Secret), namespace),
        daemon_sets=LiveListing(client, DaemonSet, resource_type_of(DaemonSet), namespace),
        service_accounts=LiveListing(client, ServiceAccount, resource_type_of(ServiceAccount), namespace),
    )
