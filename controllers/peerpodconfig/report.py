"""What was reached for one config, as its conditions."""

from collections.abc import Mapping

import msgspec

from controllers.peerpodconfig.judgement import Judged
from controllers.peerpodconfig.node_writer import NodesWritten
from controllers.peerpodconfig.operands import AppliedDaemonSet
from controllers.peerpodconfig.webhook.state import WebhookState
from controllers.reporting.observation import Observation

NODES_ADVERTISED, DAEMON_SET_READY, WEBHOOK_READY = "NodesAdvertised", "DaemonSetReady", "WebhookReady"
READY, RELEASED = "Ready", "Released"
# Reasons that somebody should look at.
PROBLEMS = frozenset(
    {
        "InvalidSpec",
        "OperandNamespaceMissing",
        "SettingsNotFound",
        "InvalidSettings",
        "CloudProviderUnset",
        "CloudProviderConflict",
        "InvalidCloudProvider",
        "NoNodesSelected",
        "NodesNotWritten",
        "NotApplied",
        "ReleaseFailed",
    }
)


class Reached(msgspec.Struct, frozen=True):
    """Each part is None if it failed; *errors* say why, by the condition."""

    quantities: Mapping[str, int]
    # How many nodes went to which other config, by that one's key.
    lost: Mapping[str, int]
    nodes: NodesWritten
    daemon_set: AppliedDaemonSet | None
    webhook: WebhookState | None
    errors: Mapping[str, str]

    @property
    def is_set_up(self) -> bool:
        is_applied = self.daemon_set is not None and self.daemon_set.is_applied
        has_webhook = self.webhook is not None and self.webhook.is_applied
        return bool(self.quantities) and self.nodes.is_complete and is_applied and has_webhook


def observations(judged: Judged, reached: Reached) -> list[Observation]:
    parts = [
        nodes_advertised(reached),
        daemon_set_ready(reached.daemon_set, reached.errors.get(DAEMON_SET_READY, "")),
        webhook_ready(reached.webhook, reached.errors.get(WEBHOOK_READY, "")),
    ]
    unready = [part.type for part in parts if part.status != "True"]
    ready = (
        Observation(READY, "False", "NotReady", f"not yet: {', '.join(unready)}")
        if unready
        else Observation(READY, "True", "Ready")
    )
    return [judged.accepted, *([judged.resolved] if judged.resolved else []), *parts, ready]


def nodes_advertised(reached: Reached) -> Observation:
    if NODES_ADVERTISED in reached.errors:
        return Observation(NODES_ADVERTISED, "False", "NodesNotWritten", reached.errors[NODES_ADVERTISED])
    if reached.nodes.retry_seconds is not None:
        why = f"others keep changing the number of VMs of {', '.join(reached.nodes.contested[:5])}"
        return Observation(NODES_ADVERTISED, "False", "CapacityContested", why)
    lost = "".join(f"; {count} went to {key}" for key, count in sorted(reached.lost.items()))
    if not reached.quantities:
        return Observation(NODES_ADVERTISED, "False", "NoNodesSelected", f"it has no node{lost}")
    total = sum(reached.quantities.values())
    return Observation(NODES_ADVERTISED, "True", "Advertised", f"{total} VMs on {len(reached.quantities)} nodes{lost}")


def daemon_set_ready(applied: AppliedDaemonSet | None, why_not: str) -> Observation:
    if applied is None:
        return Observation(DAEMON_SET_READY, "False", "NotApplied", why_not)
    if applied.found is None:
        return Observation(DAEMON_SET_READY, "False", "Going", f"DaemonSet {applied.name} is being deleted")
    status = applied.found.status
    if status.observed_generation < applied.found.metadata.generation:
        return Observation(DAEMON_SET_READY, "False", "Progressing", "its controller has not seen it yet")
    pods = f"{status.number_ready} of {status.desired_number_scheduled} pods are ready"
    if status.number_ready < status.desired_number_scheduled:
        return Observation(DAEMON_SET_READY, "False", "Progressing", pods)
    return Observation(DAEMON_SET_READY, "True", "AllReady", pods)


def webhook_ready(state: WebhookState | None, why_not: str) -> Observation:
    if state is None:
        return Observation(WEBHOOK_READY, "False", "NotApplied", why_not)
    return Observation(WEBHOOK_READY, "True" if state.is_ready else "False", state.reason, state.message)
