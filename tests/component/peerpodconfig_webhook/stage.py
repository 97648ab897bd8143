"""A roll-out against a server, at a chosen time, with its writes counted."""

from datetime import timedelta
from typing import Any

import msgspec

from apis.confidentialcontainers.peerpodconfig import FailurePolicy, PeerPodConfig, PeerPodConfigSpec, WebhookSettings
from apis.meta import Key, ObjectMeta, ResourceType, Unstructured
from controllers.peerpodconfig.webhook import DisabledRollout, WebhookRollout, WebhookState
from controllers.peerpodconfig.webhook.names import (
    AUTHORITY_SECRET,
    CONFIGURATION,
    CONFIGURATION_NAME,
    DEPLOYMENT,
    DEPLOYMENT_NAME,
    SECRET,
    SERVICE,
    SERVICE_NAME,
    SERVING_SECRET,
)
from controllers.peerpods.options import PeerPodOptions
from framework.certificates.key_pair import KeyPair
from framework.client import Client
from framework.client.observer import Access, Observer
from framework.errors import NotFound
from framework.testing.virtual_time import VirtualTime

IMAGE = "example.com/windlass:1"


class Crashed(Exception):
    """The process ended before this write."""


class Writes(Observer):
    """Counts writes; with *most*, one more than that is not made any more."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.made: list[str] = []

    def sending(self, access: Access) -> None:
        if access.is_read:
            return
        if self.most is not None and len(self.made) >= self.most:
            raise Crashed
        self.made.append(f"{access.verb} {access.resource_type.gvk.kind} {access.name}")


class ShownPairs:
    """A server that shows whatever it is offered."""

    problem: str | None = None

    def __init__(self) -> None:
        self.shown: list[KeyPair] = []

    def offer(self, pair: KeyPair) -> bool:
        if self.shown[-1:] != [pair]:
            self.shown.append(pair)
        return True


class Stage:
    def __init__(self, client: Client, namespace: str, **options: Any) -> None:
        self.client = client
        self.namespace = namespace
        self.time = VirtualTime()
        self.server = ShownPairs()
        self.options = msgspec.structs.replace(
            PeerPodOptions(namespace=namespace, webhook_image=IMAGE),
            **options,
        )
        self.writes = Writes()
        self.rollout = self.new_rollout()

    def new_rollout(self, client: Client | None = None) -> WebhookRollout | DisabledRollout:
        """As after a restart."""
        server = self.server if self.options.webhook_mode == "in-process" else None
        acting = client or self.client.observed_by(self.writes)
        if self.options.webhook_mode == "disabled":
            return DisabledRollout(acting, self.options, clock=self.time.clock)
        return WebhookRollout(acting, self.options, clock=self.time.clock, server=server)

    def apply(self, *configs: PeerPodConfig) -> WebhookState:
        return self.rollout.apply(configs or (config(),))

    def after(self, duration: timedelta) -> WebhookState:
        self.time.advance(duration.total_seconds())
        return self.apply()

    def written(self) -> list[str]:
        """Since it was asked last."""
        made, self.writes.made = self.writes.made, []
        return made

    def read(self, resource_type: ResourceType, name: str) -> dict[str, Any] | None:
        namespace = self.namespace if resource_type.is_namespaced else ""
        try:
            found: Unstructured = self.client.get(resource_type, Key(namespace, name))
        except NotFound:
            return None
        return found.content

    @property
    def webhook(self) -> dict[str, Any]:
        found = self.read(CONFIGURATION, CONFIGURATION_NAME)
        assert found is not None
        (entry,) = found["webhooks"]
        return dict(entry)

    @property
    def present(self) -> list[str]:
        """Which of the five objects there are."""
        wanted = (
            (CONFIGURATION, CONFIGURATION_NAME),
            (DEPLOYMENT, DEPLOYMENT_NAME),
            (SERVICE, SERVICE_NAME),
            (SECRET, AUTHORITY_SECRET),
            (SECRET, SERVING_SECRET),
        )
        return [name for resource_type, name in wanted if self.read(resource_type, name) is not None]


def config(
    name: str = "one", *, enabled: bool = True, policy: FailurePolicy = FailurePolicy.FAIL, replicas: int = 2
) -> PeerPodConfig:
    webhook = WebhookSettings(enabled=enabled, failure_policy=policy, replicas=replicas)
    spec = PeerPodConfigSpec(cloud_secret_name="s", config_map_name="c", webhook=webhook)
    return PeerPodConfig(metadata=ObjectMeta(namespace="n", name=name), spec=spec)
