"""The roll-out of the pod mutator: its server, how the API server finds it, and the certificates between them.

Guarantees: what is as it should be is not written; an object of another's is
never touched; at any moment, and after a crash at any write, what the server
shows was issued by an authority that the API server was told of before,
unless a Secret was lost that nothing can replace; a certificate never
outlives its authority; keys are in the two Secrets and in memory only.
Not guaranteed: service in the moment in which both Secrets are deleted.
"""

from controllers.peerpodconfig.webhook.disabled import DisabledRollout
from controllers.peerpodconfig.webhook.register import webhook_informers, webhook_rollout
from controllers.peerpodconfig.webhook.rights import webhook_rights
from controllers.peerpodconfig.webhook.rollout import WebhookRollout
from controllers.peerpodconfig.webhook.state import WebhookState

__all__ = [
    "DisabledRollout",
    "WebhookRollout",
    "WebhookState",
    "webhook_informers",
    "webhook_rights",
    "webhook_rollout",
]
