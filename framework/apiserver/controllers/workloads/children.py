"""Which objects of one resource belong to which controlling owner."""

from collections import defaultdict
from typing import NamedTuple

import msgspec

from apis.meta import Key
from framework.apiserver.controllers.following import Follower, News
from framework.apiserver.controllers.kinds import BuiltinKind
from framework.apiserver.objects import Object
from framework.apiserver.storage import Record, Storage


class _Reference(msgspec.Struct, rename="camel", gc=False):
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    owner_references: list[_Reference] | None = None


class _Object(msgspec.Struct, gc=False):
    metadata: _Metadata


class _Controller(NamedTuple):
    """An object without one has the empty controller."""

    kind: str
    name: str
    uid: str


_NOBODY = _Controller("", "", "")
_decode = msgspec.json.Decoder(_Object).decode


class Children:
    """Follows one resource, and knows its objects by the uid of the owner of *owner_kind* that controls them."""

    def __init__(self, storage: Storage, resource: BuiltinKind, owner_kind: BuiltinKind) -> None:
        self._table = storage.table(resource.storage)
        self._follower = Follower(storage, resource.storage)
        self._owner_kind = f"{owner_kind.group}/{owner_kind.kind}"
        # Invariant: _by_uid[uid] holds exactly the keys whose controller has that uid.
        self._by_uid: dict[str, set[Key]] = defaultdict(set)
        self._controllers: dict[Key, _Controller] = {}
        self._without: dict[str, set[Key]] = defaultdict(set)
        self._touched: set[Key] = set()
        self._touched_namespaces: set[str] = set()

    def update(self) -> tuple[set[Key], set[str]]:
        """Take in the changes: the owners whose children have changed, and the namespaces where orphans have."""
        news = self._follower.look()
        if news is None:
            return set(), set()
        self._take(news)
        touched, self._touched = self._touched, set()
        namespaces, self._touched_namespaces = self._touched_namespaces, set()
        return touched, namespaces

    def of(self, owner: Object) -> list[Object]:
        return self._read(self._by_uid.get(owner["metadata"]["uid"], ()))

    def orphans(self, namespace: str) -> list[Object]:
        """Those in *namespace* that nobody controls."""
        return self._read(self._without.get(namespace, ()))

    def _read(self, keys: set[Key] | tuple[()]) -> list[Object]:
        records = (self._table.get(key) for key in sorted(keys))
        return [record.decode() for record in records if record is not None]

    def _take(self, news: News) -> None:
        if news.is_anew:
            for key in list(self._controllers):
                self._forget(key)
        for record in news.records:
            self._put(record)
        for change in news.changes:
            self._forget(change.record.key)
            if change.type != "DELETED":
                self._put(change.record)

    def _put(self, record: Record) -> None:
        controller = _controller_of(record)
        key = record.key
        self._controllers[key] = controller
        if controller is _NOBODY:
            self._without[key.namespace].add(key)
            self._touched_namespaces.add(key.namespace)
        elif controller.kind == self._owner_kind:
            self._by_uid[controller.uid].add(key)
            self._touched.add(Key(key.namespace, controller.name))

    def _forget(self, key: Key) -> None:
        controller = self._controllers.pop(key, _NOBODY)
        if controller is _NOBODY:
            self._without[key.namespace].discard(key)
        elif controller.kind == self._owner_kind:
            self._by_uid[controller.uid].discard(key)
            if not self._by_uid[controller.uid]:
                del self._by_uid[controller.uid]
            self._touched.add(Key(key.namespace, controller.name))


def _controller_of(record: Record) -> _Controller:
    if b'"ownerReferences"' not in record.raw:
        return _NOBODY
    for reference in _decode(record.raw).metadata.owner_references or ():
        if reference.controller:
            group = reference.api_version.rpartition("/")[0]
            return _Controller(f"{group}/{reference.kind}", reference.name, reference.uid)
    return _NOBODY
