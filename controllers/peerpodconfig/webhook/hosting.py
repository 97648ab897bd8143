"""The roll-out for a manager that is not ours."""

from apis.meta import Unstructured
from controllers.peerpodconfig.webhook.disabled import DisabledRollout
from controllers.peerpodconfig.webhook.names import CONFIGURATION, CONFIGURATION_NAME, DEPLOYMENT, SECRET, SERVICE
from controllers.peerpodconfig.webhook.rollout import WebhookRollout
from controllers.peerpods.followed import Followed
from controllers.peerpods.host import Host
from controllers.peerpods.names import MANAGED_BY, MANAGED_BY_LABEL
from controllers.peerpods.options import PeerPodOptions
from controllers.podmutator import PATH, MutatorOptions, PodMutator
from framework.certificates.key_pair import KeyPair
from framework.clock import Clock


class _ServedByTheHost:
    """It finds its certificate where every server finds it: in the Secret."""

    problem: str | None = None

    def offer(self, pair: KeyPair) -> bool:  # noqa: ARG002 - see above
        return True


def hosted_rollout(host: Host, options: PeerPodOptions, clock: Clock) -> WebhookRollout | DisabledRollout:
    """In the mode `in-process` *host* serves the webhook, with the certificate of Secret `webhook-server-cert`."""
    if options.webhook_mode == "disabled":
        return DisabledRollout(host.client, options, clock=clock)
    if options.webhook_mode == "deployment":
        return WebhookRollout(host.client, options, clock=clock)
    mutator = PodMutator(
        MutatorOptions(options.target_runtime_classes, options.extended_resource, options.resource_aggregation)
    )
    host.add_webhook(PATH, mutator.handle)
    return WebhookRollout(host.client, options, clock=clock, server=_ServedByTheHost())


def hosted_objects(host: Host, options: PeerPodOptions) -> list[Followed[Unstructured]]:
    """All that the roll-out writes: a change of any is a reason to look."""
    if options.webhook_mode == "disabled":
        return []
    ours, name = f"{MANAGED_BY_LABEL}={MANAGED_BY}", f"metadata.name={CONFIGURATION_NAME}"
    return [
        *(
            Followed(host, Unstructured, options.namespace, gvk=each.gvk, labels=ours)
            for each in (DEPLOYMENT, SERVICE, SECRET)
        ),
        Followed(host, Unstructured, gvk=CONFIGURATION.gvk, fields=name),
    ]
