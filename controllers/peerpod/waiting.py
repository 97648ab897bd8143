"""PeerPods that are being deleted, and may wait for settings to change."""

from collections.abc import Iterable

from apis.confidentialcontainers.peerpod import PeerPod
from apis.meta import KubeObject, Request
from controllers.peerpod.candidates import Candidates
from controllers.peerpod.metrics import TERMINATING, TERMINATING_INDEX
from controllers.peerpods.listing import Indexed


class Waiting:
    def __init__(self, peer_pods: Indexed[PeerPod], candidates: Candidates) -> None:
        self._peer_pods = peer_pods
        self._candidates = candidates

    def for_config(self, _config: KubeObject) -> Iterable[Request]:
        return sorted(Request(each.key) for each in self._terminating())

    def for_settings(self, settings: KubeObject) -> Iterable[Request]:
        refs = [each.status.settings_ref for each in self._terminating() if each.status.settings_ref]
        return self.for_config(settings) if settings.metadata.name in self._candidates.names(refs) else ()

    def _terminating(self) -> Iterable[PeerPod]:
        return self._peer_pods.by_index(TERMINATING_INDEX, TERMINATING)
