"""Mutants of the controller of PeerPods; most of them are defects that its predecessor has."""

from collections.abc import Sequence

from apis.confidentialcontainers.peerpod import PeerPod
from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, KubeObject, OwnerReference
from controllers.peerpod import candidates, cleanup, deletion, states
from controllers.peerpod.candidates import Candidates
from controllers.peerpod.cleanup import Cleanup
from controllers.peerpod.deletion import Deletion
from controllers.peerpod.pace import Pace
from controllers.peerpod.provider import Accepted, Gone, Outcome, ProviderError, Transient
from controllers.peerpod.siblings import ArrivalOf
from controllers.peerpods.cloud_settings import CloudSettings, merged_settings
from framework.client import Client
from framework.reconcile import Result
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.peer_pods import peer_pods

_PREDECESSOR = "the predecessor"
_delete, _attempt = Cleanup._delete, Deletion.attempt
_get = Candidates._get


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


def _first_owner(peer_pod: PeerPod) -> OwnerReference:
    return peer_pod.metadata.owner_references[0]


def _get_once(self: Candidates, kind: type[KubeObject], key: Key) -> KubeObject | None:
    kept: dict[str, KubeObject | None] = self.__dict__.setdefault("kept", {})
    name = f"{kind.__name__} {key}"
    if name not in kept:
        kept[name] = _get(self, kind, key)
    return kept[name]


def _secret_wins(config_map: ConfigMap | None, secret: Secret | None) -> CloudSettings:
    settings = merged_settings(config_map, secret)
    private = {key: value.decode() for key, value in secret.data.items()} if secret else {}
    return CloudSettings({**settings.values, **private}, settings.overlap)


def _failure_is_done(self: Deletion, peer_pod: PeerPod, seconds_seen: float) -> Outcome:
    try:
        return _attempt(self, peer_pod, seconds_seen)
    except ProviderError:
        return Accepted()


def _take_all_off(client: Client, peer_pod: PeerPod) -> None:
    client.merge_patch(PeerPod, peer_pod.key, {"metadata": {"finalizers": None}}, uid=peer_pod.metadata.uid)


MUTANTS = (
    Mutant(
        "shared-vm-killed",
        "the VM of a PeerPod that lives is deleted, because another one with the same id goes",
        peer_pods,
        [(Cleanup, "_why_not", _always_delete)],
        known_from="peer pods, 17",
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
        known_from="peer pods, 23 to 26",
    ),
    Mutant(
        "newest-sibling-deleted",
        "of two PeerPods of one pod the VM of the newer is deleted",
        peer_pods,
        [(states, "superseded", _oldest_stays)],
    ),
    Mutant(
        "owner-taken-for-granted",
        "a PeerPod that nobody owns ends every look at it",
        peer_pods,
        [(states, "owner_pod", _first_owner), (deletion, "owner_pod", _first_owner)],
        known_from="peer pods, 16",
    ),
    Mutant(
        "credentials-read-once",
        "a credential that was replaced goes on being used",
        peer_pods,
        [(Candidates, "_get", _get_once)],
        known_from="peer pods, 19",
    ),
    Mutant(
        "secret-before-config-map",
        "where both say something the Secret counts, so that the VM is looked for where the adaptor never made it",
        peer_pods,
        [(candidates, "merged_settings", _secret_wins)],
        known_from="peer pods, 19",
    ),
    Mutant(
        "failed-deletion-is-done",
        "a PeerPod is let go although the cloud did not delete its VM",
        peer_pods,
        [(Deletion, "attempt", _failure_is_done)],
        known_from="peer pods, 27",
    ),
    Mutant(
        "finalizers-of-others-too",
        "a PeerPod is let go with the finalizers of everybody",
        peer_pods,
        [(cleanup, "release", _take_all_off)],
        known_from="peer pods, 21 and 35",
    ),
)
