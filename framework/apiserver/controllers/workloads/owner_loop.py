"""Keeps every object of one kind in step with what it controls."""

from collections.abc import Callable, Sequence

from apis.meta import Key
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import BuiltinKind
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.objects import Object

# Does what is due for one object; returns in how many seconds something will be due without a change, if anything.
Sync = Callable[[Object], float | None]


class OwnerLoop:
    """Calls *sync* with each object of *kind* that has changed, or one of whose *children* has."""

    def __init__(self, tools: ControllerTools, kind: BuiltinKind, children: Sequence[Children], sync: Sync) -> None:
        self._storage = tools.storage
        self._table = tools.storage.table(kind.storage)
        self._follower = Follower(tools.storage, kind.storage)
        self._children = tuple(children)
        self._sync = sync
        self._due: DueItems[Key] = DueItems(tools.clock)

    def step(self) -> float | None:
        if (news := self._follower.look()) is not None:
            for record in (*news.records, *(change.record for change in news.changes)):
                self._due.add(record.key)
        for children in self._children:
            owners, namespaces = children.update()
            for key in owners:
                self._due.add(key)
            for namespace in namespaces:
                self.add_all(namespace)
        return work_off(self._due, self._work)

    def add_all(self, namespace: str = "") -> None:
        """Look at every object, or every one in *namespace*: something else has changed that concerns them."""
        with self._storage.lock:
            for record in self._table.records(namespace):
                self._due.add(record.key)

    def _work(self, key: Key) -> float | None:
        record = self._table.get(key)
        return None if record is None else self._sync(record.decode())
