"""Where the VM of a PeerPod was when it was made: recorded while its settings still say so."""

from collections.abc import Mapping

from apis.confidentialcontainers.peerpod import PeerPod
from apis.core.v1 import Pod
from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from controllers.peerpod.candidates import Candidate, Candidates
from controllers.peerpod.owner import owner_pod
from controllers.peerpod.provider import CloudProvider, Permanent, SettingsMissing
from controllers.peerpod.redaction import password_in
from controllers.peerpod.registry import Registry
from controllers.peerpods.names import CONFIG_LABEL
from framework.client import Client
from framework.errors import NotFound

NODES = ResourceType(GroupVersionKind("", "v1", "Node"), "nodes", "Cluster")


class Locator:
    def __init__(self, client: Client, candidates: Candidates, registry: Registry) -> None:
        self._client = client
        self._candidates = candidates
        self._registry = registry

    def find(self, peer_pod: PeerPod) -> tuple[Candidate, dict[str, str]] | None:
        """The settings that its VM was made with, and what of them locates it; None if that is not sure."""
        try:
            candidate = self._candidate(peer_pod)
            if candidate is None:
                return None
            return candidate, location_in(candidate.values, self._registry.load(candidate.provider))
        except (SettingsMissing, Permanent):
            return None

    def _candidate(self, peer_pod: PeerPod) -> Candidate | None:
        uid = self._config_uid(peer_pod)
        if uid:
            found = self._candidates.of_config(uid, peer_pod.spec.cloud_provider if peer_pod.spec else "")
            if found is not None:
                return found
        candidates = self._candidates.of(peer_pod)
        return candidates[0] if len(candidates) == 1 else None

    def _config_uid(self, peer_pod: PeerPod) -> str:
        """Of the config that the node of its pod belongs to; empty if there is none."""
        owner = owner_pod(peer_pod)
        if owner is None:
            return ""
        try:
            pod = self._client.get(Pod, Key(peer_pod.metadata.namespace, owner.name))
            if pod.metadata.uid != owner.uid or not pod.spec.node_name:
                return ""
            node: Unstructured = self._client.get(NODES, Key("", pod.spec.node_name))
        except NotFound:
            return ""
        return node.metadata.labels.get(CONFIG_LABEL, "")


def location_in(values: Mapping[str, str], provider: type[CloudProvider]) -> dict[str, str]:
    """Nothing of it is secret: everybody who can read the PeerPod can read it."""
    public = [key for key in provider.location_keys if key not in provider.secret_keys]
    return {key: values[key] for key in public if values.get(key) and not password_in(values[key])}
