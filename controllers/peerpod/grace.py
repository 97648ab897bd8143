"""Time for the adaptor to delete the VM itself, while its pod is on its way out."""

from apis.confidentialcontainers.peerpod import PeerPod
from apis.core.v1 import Pod
from apis.meta import Key
from controllers.peerpod.owner import owner_pod
from framework.client import Client
from framework.clock import Clock
from framework.errors import NotFound

_LOOK_SECONDS = 5.0


class Grace:
    def __init__(self, client: Client, clock: Clock, seconds: float) -> None:
        self._client = client
        self._clock = clock
        self._seconds = seconds

    def seconds_to_wait(self, peer_pod: PeerPod, seconds_seen: float) -> float:
        """Until the next look; 0: the adaptor has had its time. This process waits for *seconds_seen* by now."""
        pod = self._owner(peer_pod)
        if pod is None or pod.metadata.deletion_timestamp is None:
            return 0.0
        age = (self._clock.now() - pod.metadata.deletion_timestamp).total_seconds()
        # A clock that is wrong must not keep a VM for hours.
        most = self._seconds + (pod.metadata.deletion_grace_period_seconds or 0)
        left = min(self._seconds - age, most - seconds_seen)
        return max(0.0, min(left, _LOOK_SECONDS))

    def _owner(self, peer_pod: PeerPod) -> Pod | None:
        owner = owner_pod(peer_pod)
        if owner is None:
            return None
        try:
            pod = self._client.get(Pod, Key(peer_pod.metadata.namespace, owner.name))
        except NotFound:
            return None
        return pod if pod.metadata.uid == owner.uid else None
