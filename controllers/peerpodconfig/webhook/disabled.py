"""No webhook: somebody else rolls it out, or nobody."""

from collections.abc import Sequence

import structlog

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from controllers.peerpodconfig.webhook.own_objects import OwnObjects
from controllers.peerpodconfig.webhook.state import WebhookState
from controllers.peerpodconfig.webhook.takedown import Takedown
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client
from framework.clock import Clock
from framework.errors import Forbidden

_MESSAGE = "no webhook is rolled out by this process"

_log = structlog.get_logger("windlass.webhook")


class NoWebhookRollout:
    def apply(self, configs: Sequence[PeerPodConfig]) -> WebhookState:  # noqa: ARG002 - whatever they say
        return WebhookState(is_applied=True, is_ready=True, reason="Disabled", message=_MESSAGE)

    def remove(self) -> None:
        """There is nothing."""


class DisabledRollout(NoWebhookRollout):
    """What a process with another mode has left is taken down: pods of the class would wait for it in vain.

    Looked for at the start and with every resync: this process makes nothing of it.
    """

    def __init__(self, client: Client, options: PeerPodOptions, *, clock: Clock) -> None:
        self._takedown = Takedown(OwnObjects(client), options.namespace)
        self._clock = clock
        self._every_seconds = options.resync_seconds
        self._looked_at: float | None = None

    def apply(self, configs: Sequence[PeerPodConfig]) -> WebhookState:
        self.remove()
        return super().apply(configs)

    def remove(self) -> None:
        now = self._clock.monotonic()
        if self._looked_at is not None and now < self._looked_at + self._every_seconds:
            return
        try:
            self._takedown.remove()
        except Forbidden as error:
            # Who never had a webhook need not be allowed to take one down.
            _log.info("webhook_not_looked_for", error=str(error))
        self._looked_at = now
