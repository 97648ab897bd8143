"""How PeerPods are found otherwise than by their names."""

from collections.abc import Callable, Iterable, Mapping

from apis.confidentialcontainers.peerpod import PeerPod
from controllers.peerpod.cleanup import INSTANCE_INDEX
from controllers.peerpod.metrics import TERMINATING, TERMINATING_INDEX
from controllers.peerpod.owner import owner_pod
from controllers.peerpod.states import OWNER_INDEX, owner_key
from controllers.peerpods.names import PEER_POD_FINALIZER


def _owner(peer_pod: PeerPod) -> Iterable[str]:
    owner = owner_pod(peer_pod)
    return [owner_key(peer_pod.metadata.namespace, owner.uid)] if owner else []


def _instance(peer_pod: PeerPod) -> Iterable[str]:
    return [peer_pod.spec.instance_id] if peer_pod.spec and peer_pod.spec.instance_id else []


def _terminating(peer_pod: PeerPod) -> Iterable[str]:
    metadata = peer_pod.metadata
    return [TERMINATING] if metadata.is_being_deleted and PEER_POD_FINALIZER in metadata.finalizers else []


INDEXES: Mapping[str, Callable[[PeerPod], Iterable[str]]] = {
    OWNER_INDEX: _owner,
    INSTANCE_INDEX: _instance,
    TERMINATING_INDEX: _terminating,
}
