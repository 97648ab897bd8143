"""The webhook configurations that are stored now."""

from collections.abc import Sequence

import msgspec

from framework.apiserver.admission.match_conditions import Compile
from framework.apiserver.admission.webhook import Webhook, webhooks_of
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.reader import ObjectReader

GROUP = "admissionregistration.k8s.io"
MUTATING = GroupResource(GROUP, "mutatingwebhookconfigurations")
VALIDATING = GroupResource(GROUP, "validatingwebhookconfigurations")


class _Known(msgspec.Struct, frozen=True):
    revision: int
    webhooks: tuple[Webhook, ...]


class Configurations:
    """Parsed and compiled again only when one of them has changed."""

    def __init__(self, reader: ObjectReader, compile_expression: Compile) -> None:
        self._reader = reader
        self._compile = compile_expression
        self._known = {MUTATING: _Known(-1, ()), VALIDATING: _Known(-1, ())}

    def webhooks(self, resource: GroupResource) -> tuple[Webhook, ...]:
        """By the name of their configuration, then as they stand in it."""
        known = self._known[resource]
        revision = self._reader.revision_of(resource)
        if known.revision != revision:
            found = [each for configuration in self._reader.list(resource) for each in self._parse(configuration)]
            known = self._known[resource] = _Known(revision, tuple(found))
        return known.webhooks

    def _parse(self, configuration: Object) -> Sequence[Webhook]:
        return webhooks_of(configuration, self._compile)
