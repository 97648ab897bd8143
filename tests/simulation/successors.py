"""A name that is used again: what was right to delete for the first of that name would be wrong for the second."""

from contextlib import suppress
from pathlib import Path

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.controller import Mapped, Primary
from framework.errors import AlreadyExists, NotFound
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.testing.simulation import Scenario, User
from tests.simulation.copies import NAME, NAMESPACE, WANTED, Copies, originals_of

ONE, COPY = Key(NAMESPACE, "one"), Key(NAMESPACE, "one-copy")
OF = "example.dev/of"
# As where the server knows no WatchList: the first list may then come from a cache that is behind.
LISTS = InformerOptions(use_watch_list=False)


class CopiesByUid(Copies):
    """Deletes what belongs to an original, and not what has its name."""

    def __init__(self, manager: Manager) -> None:
        super().__init__(manager)
        self.maps = manager.informer(ConfigMap, LISTS).lister

    def create(self, original: ConfigMap) -> None:
        key = self.key_of(original)
        metadata = ObjectMeta(name=key.name, namespace=key.namespace, annotations={OF: original.metadata.uid})
        with suppress(AlreadyExists):
            self.client.create(ConfigMap(metadata=metadata, data=dict(original.data)))

    def remove_copy(self, original: ConfigMap) -> None:
        with suppress(NotFound):
            # From the server: the cache may show the copy of a predecessor, or none.
            copy = self.client.get(ConfigMap, self.key_of(original))
            if copy.metadata.annotations.get(OF) == original.metadata.uid:
                self.client.delete(ConfigMap, copy.key, uid=copy.metadata.uid)


def successors_of(reconciler: type[CopiesByUid]) -> Scenario:
    def register(manager: Manager) -> None:
        maps = manager.informer(ConfigMap, LISTS)
        manager.add_controller(NAME, reconciler(manager), [Primary(maps), Mapped(maps, originals_of)])

    return Scenario({"controller": register}, workload)


def workload(user: User) -> None:
    for text in ("first", "second"):
        metadata = ObjectMeta(name=ONE.name, namespace=NAMESPACE, labels=WANTED)
        user.client.create(ConfigMap(metadata=metadata, data={"text": text}))
        user.wait_until(lambda: exists(user, COPY))
        user.wait_until_quiet()
        if text == "first":
            user.client.delete(ConfigMap, ONE)
            user.wait_until(lambda: not exists(user, ONE))
            user.wait_until_quiet()


def exists(user: User, key: Key) -> bool:
    with suppress(NotFound):
        return bool(user.client.get(ConfigMap, key))
    return False


def successors(_folder: Path) -> Scenario:
    return successors_of(CopiesByUid)
