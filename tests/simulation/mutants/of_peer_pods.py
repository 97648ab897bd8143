"""Mutants of the controller of PeerPods; most of them are defects that its predecessor has."""

from collections.abc import Sequence

from apis.confidentialcontainers.peerpod import PeerPod
from controllers.peerpod import states
from controllers.peerpod.cleanup import Cleanup
from controllers.peerpod.deletion import Deletion
from controllers.peerpod.pace import Pace
from controllers.peerpod.provider import Gone, Outcome, Transient
from controllers.peerpod.siblings import ArrivalOf
from framework.reconcile import Result
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.peer_pods import peer_pods

_PREDECESSOR = "the predecessor"
_delete, _attempt = Cleanup._delete, Deletion.attempt


def _always_delete(_self: Cleanup, _peer_pod: PeerPod) -> None:
    """Whoever else has the same VM."""


def _release_first(self: Cleanup, peer_pod: PeerPod, pace: Pace) -> Result:
    self._release(peer_pod)
    return _delete(self, peer_pod, pace)


def _gone_is_an_error(self: Deletion, peer_pod: PeerPod, seconds_seen: float) -> Outcome:
    outcome = _attempt(self, peer_pod, seconds_seen)
    if isinstance(outcome, Gone):
        raise Transient("there is no such VM")
    return outcome


def _oldest_stays(siblings: Sequence[PeerPod], _arrival_of: ArrivalOf) -> list[PeerPod]:
    return sorted(siblings, key=lambda each: each.key)[1:]


MUTANTS = (
    Mutant(
        "shared-vm-killed",
        "the VM of a PeerPod that lives is deleted, because another one with the same id goes",
        peer_pods,
        [(Cleanup, "_why_not", _always_delete)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "released-before-the-vm",
        "a PeerPod is let go before its VM is deleted",
        peer_pods,
        [(Cleanup, "_delete", _release_first)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "gone-vm-is-an-error",
        "a VM that is gone already keeps its PeerPod for ever",
        peer_pods,
        [(Deletion, "attempt", _gone_is_an_error)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "newest-sibling-deleted",
        "of two PeerPods of one pod the VM of the newer is deleted",
        peer_pods,
        [(states, "superseded", _oldest_stays)],
    ),
)
