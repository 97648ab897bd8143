"""Lets a PeerPod go: takes off the one finalizer, and leaves those of others alone."""

from apis.confidentialcontainers.peerpod import PeerPod
from controllers.peerpods.names import PEER_POD_FINALIZER
from framework.client import Client
from framework.errors import Conflict, Invalid, NotFound, WindlassError

_MOST_TRIES = 5


def release(client: Client, peer_pod: PeerPod) -> None:
    """Harmless when somebody else, such as the adaptor, has done it meanwhile."""
    current = peer_pod
    for _ in range(_MOST_TRIES):
        if current.metadata.uid != peer_pod.metadata.uid or PEER_POD_FINALIZER not in current.metadata.finalizers:
            return
        try:
            client.json_patch(PeerPod, current.key, _removal(current))
        except NotFound:
            return
        except (Invalid, Conflict):
            # A test in the patch did not hold: the list is another by now, or the whole object is.
            try:
                current = client.get(PeerPod, peer_pod.key)
            except NotFound:
                return
        else:
            return
    raise WindlassError(f"the finalizers of {peer_pod.key} change all the time; it is tried again")


def _removal(peer_pod: PeerPod) -> list[dict[str, str]]:
    path = f"/metadata/finalizers/{peer_pod.metadata.finalizers.index(PEER_POD_FINALIZER)}"
    return [
        {"op": "test", "path": "/metadata/uid", "value": peer_pod.metadata.uid},
        {"op": "test", "path": path, "value": PEER_POD_FINALIZER},
        {"op": "remove", "path": path},
    ]
