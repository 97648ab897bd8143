"""Where pods are, and which have no place yet."""

from collections import Counter

import msgspec

from apis.meta import Key
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import PODS
from framework.apiserver.storage import Record, Storage


class _Spec(msgspec.Struct, rename="camel", gc=False):
    node_name: str = ""


class _Pod(msgspec.Struct, gc=False):
    spec: _Spec


_decode = msgspec.json.Decoder(_Pod).decode


class Placements:
    def __init__(self, storage: Storage) -> None:
        self._follower = Follower(storage, PODS.storage)
        # Invariant: counts tells how many values of _nodes are each name.
        self._nodes: dict[Key, str] = {}
        self.counts: Counter[str] = Counter()
        self.waiting: set[Key] = set()

    def update(self) -> set[Key]:
        """Take in the changes: the pods without a place that are new, or have changed."""
        news = self._follower.look()
        if news is None:
            return set()
        if news.is_anew:
            for key in list(self._nodes):
                self._forget(key)
            self.waiting = set()
        touched = set()
        for record in news.records:
            self._put(record)
        for change in news.changes:
            self._forget(change.record.key)
            if change.type != "DELETED":
                self._put(change.record)
                touched.add(change.record.key)
        return self.waiting & touched if not news.is_anew else set(self.waiting)

    def _put(self, record: Record) -> None:
        node = _decode(record.raw).spec.node_name
        if node:
            self._nodes[record.key] = node
            self.counts[node] += 1
        else:
            self.waiting.add(record.key)

    def _forget(self, key: Key) -> None:
        self.waiting.discard(key)
        node = self._nodes.pop(key, "")
        if node:
            self.counts[node] -= 1
