"""The roll-out for a manager."""

from typing import Any

from controllers.peerpodconfig.webhook.disabled import DisabledRollout
from controllers.peerpodconfig.webhook.names import CONFIGURATION, CONFIGURATION_NAME, DEPLOYMENT, SECRET, SERVICE
from controllers.peerpodconfig.webhook.reports import CertificateReports
from controllers.peerpodconfig.webhook.rollout import WebhookRollout
from controllers.peerpods.names import MANAGED_BY, MANAGED_BY_LABEL
from controllers.peerpods.options import PeerPodOptions
from framework.informers import InformerOptions, SharedInformer
from framework.loading import LOADING
from framework.manager import Manager


def webhook_rollout(manager: Manager, options: PeerPodOptions, controller: str) -> WebhookRollout | DisabledRollout:
    """In the name of *controller*; in the mode `in-process` *manager* serves the webhook from its start to its stop."""
    client = manager.client_for(controller)
    if options.webhook_mode == "disabled":
        return DisabledRollout(client, options, clock=manager.clock)
    listener = CertificateReports(manager.recorder_for(controller), manager.registry)
    if options.webhook_mode != "in-process":
        return WebhookRollout(client, options, clock=manager.clock, listener=listener)
    with LOADING:
        from controllers.peerpodconfig.webhook.in_process import InProcessWebhook

    server = InProcessWebhook(
        manager.client, options, clock=manager.clock, runtime=manager.runtime, registry=manager.registry
    )
    manager.at_start(server.start)
    manager.before_stop(server.stop)
    # Told only: as long as nobody wants the webhook there is no certificate.
    manager.readiness.add("pod-webhook", lambda: server.problem, counts=False)
    return WebhookRollout(client, options, clock=manager.clock, server=server, listener=listener)


def webhook_informers(manager: Manager, options: PeerPodOptions) -> list[SharedInformer[Any]]:
    """Of all that the roll-out writes: a change of any is a reason to look. What is in them is not kept."""
    if options.webhook_mode == "disabled":
        return []
    ours = InformerOptions(
        namespaces=(options.namespace,), labels=f"{MANAGED_BY_LABEL}={MANAGED_BY}", metadata_only=True
    )
    configuration = InformerOptions(fields=f"metadata.name={CONFIGURATION_NAME}", metadata_only=True)
    operands: list[SharedInformer[Any]] = [manager.informer(each, ours) for each in (DEPLOYMENT, SERVICE, SECRET)]
    return [*operands, manager.informer(CONFIGURATION, configuration)]
