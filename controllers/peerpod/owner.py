"""The pod that a PeerPod belongs to, if it says so in the way that the adaptor does."""

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import OwnerReference


def owner_pod(peer_pod: PeerPod) -> OwnerReference | None:
    owner = peer_pod.metadata.controller_owner
    return owner if owner is not None and (owner.api_version, owner.kind) == ("v1", "Pod") else None
