"""Whom a change concerns."""

from collections.abc import Iterable

from apis.apps.v1 import DaemonSet
from apis.core.v1 import ConfigMap, Node, Secret
from apis.meta import KubeObject, Request, Unstructured
from controllers.peerpodconfig.operands import owner_of
from controllers.peerpodconfig.reading import StoredConfigs
from controllers.peerpodconfig.reconciler import SWEEP
from controllers.peerpods.listing import Listing
from controllers.peerpods.names import CONFIG_LABEL


class Concerned:
    def __init__(self, configs: Listing[Unstructured]) -> None:
        self._configs = configs
        self._stored = StoredConfigs(configs)

    def everybody(self, _changed: KubeObject) -> Iterable[Request]:
        """All configs; if there is none, whoever clears up after them."""
        return [Request(each.key) for each in self._configs.list()] or [SWEEP]

    def by_node(self, node: Node) -> Iterable[Request]:
        uids = {each.metadata.uid: Request(each.key) for each in self._configs.list()}
        is_orphan = node.metadata.labels.get(CONFIG_LABEL, "") not in {"", *uids}
        return [*uids.values(), *([SWEEP] if is_orphan else [])]

    def by_config_map(self, changed: ConfigMap) -> Iterable[Request]:
        name, configs = changed.metadata.name, self._stored.list()
        # Whether a config is frozen matters to all.
        is_named = any(each.config.spec.config_map_name == name for each in configs)
        return [Request(each.config.key) for each in configs] if is_named else []

    def by_secret(self, changed: Secret) -> Iterable[Request]:
        name, configs = changed.metadata.name, self._stored.list()
        is_named = any(each.config.spec.cloud_secret_name == name for each in configs)
        return [Request(each.config.key) for each in configs] if is_named else []

    def by_daemon_set(self, changed: DaemonSet) -> Iterable[Request]:
        uid = owner_of(changed)
        owner = [Request(each.key) for each in self._configs.list() if each.metadata.uid == uid]
        return owner or self.everybody(changed)
