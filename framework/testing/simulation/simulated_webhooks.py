"""The webhooks of a simulated process: reached without sockets, and so without certificates."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from apis.meta import ResourceType
from framework.errors import ConfigurationError, WindlassError
from framework.http.exchange import Handler
from framework.webhooks import Webhooks
from framework.webhooks.configuration import CONFIGURATION_OF, configuration, hosts_of, name_of
from framework.webhooks.handler import WebhookHandler
from framework.webhooks.hooks import AdmissionHook
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.targets import FIELD_MANAGER, ManagedConfiguration

Serve = Callable[[Sequence[str], Handler], None]
_RETRY_SECONDS = 1.0
_NO_BUNDLE = b""


class SimulatedWebhooks(Webhooks):
    def __init__(self, *arguments: Any, serve: Serve, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._serve = serve

    def start(self) -> None:
        if not self.hooks:
            return
        if self.converted:
            raise ConfigurationError("conversion by a webhook is not simulated")
        metrics = WebhookMetrics(self._registry, self._clock)
        handler = WebhookHandler(self.hooks, clock=self._clock, runtime=self._runtime, metrics=metrics)
        self._serve(hosts_of(self._options), handler)
        self._runtime.spawn("webhook-configurations", self._configure)

    def stop(self, grace_seconds: float) -> None:
        """Its host is gone when its life is over."""

    @property
    def problem(self) -> str | None:
        return None

    def _configure(self) -> None:
        """Until the server knows whom to ask; a configuration that is deleted later comes back with the next life."""
        targets = self._targets()
        while targets:
            targets = [target for target in targets if not self._is_written(target)]
            if targets:
                self._clock.wait(_RETRY_SECONDS)

    def _is_written(self, target: ManagedConfiguration) -> bool:
        try:
            reading = target.read()
            if not reading.trusts(_NO_BUNDLE):
                reading.write(_NO_BUNDLE)
        except WindlassError:
            return False
        return self._leads()

    def _targets(self) -> list[ManagedConfiguration]:
        by_type: dict[ResourceType, list[AdmissionHook[Any]]] = {}
        for hook in self.admission_hooks:
            by_type.setdefault(CONFIGURATION_OF[hook.what], []).append(hook)
        client, name = self._client.acting_as(FIELD_MANAGER), name_of(self._options)
        return [
            ManagedConfiguration(client, each, name, partial(configuration, each, hooks, self._options), self._leads)
            for each, hooks in by_type.items()
        ]
