"""Starts webhooks as a part of a process: probes that speak of them, and a watch on all that they look after."""

from collections.abc import Callable
from typing import Any

from apis.meta import ResourceType
from framework.informers import InformerOptions, SharedInformer
from framework.manager.health import Checks
from framework.webhooks import Webhooks

FindInformer = Callable[[ResourceType, InformerOptions], SharedInformer[Any]]


def start_webhooks(webhooks: Webhooks, find_informer: FindInformer, *, readiness: Checks, health: Checks) -> None:
    if not webhooks.hooks:
        return
    readiness.add("webhooks", lambda: webhooks.problem)
    health.add("webhooks", lambda: webhooks.sickness)
    webhooks.start()
    for resource_type, key in webhooks.places:
        # Without their contents: that something has changed is enough to look.
        options = InformerOptions((key.namespace,), fields=f"metadata.name={key.name}", metadata_only=True)
        find_informer(resource_type, options).add_handler(webhooks, name="webhooks")
