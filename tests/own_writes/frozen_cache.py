"""A manager whose caches a test stops and starts, so that they know of nothing in between."""

from typing import Any, Generic, TypeVar

from apis.meta import Key, KubeObject, Unstructured
from framework.client import Client, Kind
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager
from framework.testing.control_plane.waiting import wait_until

T = TypeVar("T", bound=KubeObject)
LIMIT_SECONDS = 60.0


class FrozenCache(Generic[T]):
    """One informer that has synced and was stopped then."""

    def __init__(self, client: Client, kind: Kind[T], namespace: str, **options: Any) -> None:
        self.manager = Manager(client)
        self.namespace = namespace
        self.kind = kind
        self.client = self.manager.client_for("widgets")
        # Not through the manager: what somebody else does.
        self.foreign = client
        self.informer: SharedInformer[T] = self.manager.informer(
            kind, InformerOptions(namespaces=(namespace,), **options)
        )
        self.lister = self.informer.lister
        self.thaw()
        self.freeze()

    def freeze(self) -> None:
        self.informer.stop()

    def thaw(self) -> None:
        """Let the cache catch up; returns when it has, and nothing is pending."""
        self.informer.start()
        assert wait_until(lambda: self.informer.has_synced, limit_seconds=LIMIT_SECONDS)
        version = int(self.foreign.list_page(self.kind, self.namespace, {}).metadata.resource_version)
        is_idle = wait_until(
            lambda: self.informer.version >= version or not self.informer.pending_own_writes,
            limit_seconds=LIMIT_SECONDS,
        )
        assert is_idle

    def key(self, name: str) -> Key:
        return Key(self.namespace, name)

    def cached(self) -> set[str]:
        """The names that the cache holds by itself."""
        return {entry.key.name for entry in self.informer._store.entries()} - {"kube-root-ca.crt"}

    def names(self) -> set[str]:
        return {each.metadata.name for each in self.lister.list(self.namespace)} - {"kube-root-ca.crt"}

    def assert_live(self) -> None:
        """What is read from the lister is what the server has, though the cache does not know it."""
        live = {each.metadata.name: each for each in self.foreign.list(self.kind, self.namespace)}
        read = {each.metadata.name: each for each in self.lister.list(self.namespace)}
        assert _without_kind(read) == _without_kind(live)
        for name, obj in live.items():
            found = self.lister.get(self.key(name))
            assert found is not None
            assert _without_kind({name: found}) == _without_kind({name: obj})


def _without_kind(objects: dict[str, Any]) -> dict[str, Any]:
    """Neither is in the items of a list."""
    return {
        name: {**obj.content, "kind": "", "apiVersion": ""} if isinstance(obj, Unstructured) else obj
        for name, obj in objects.items()
    }
