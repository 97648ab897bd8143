"""Gives each namespace its account `default`."""

from apis.meta import Key
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower, News
from framework.apiserver.controllers.kinds import NAMESPACES, SERVICE_ACCOUNTS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.objects import Object

_NAME = "default"


class ServiceAccountMaker:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._namespaces = Follower(tools.storage, NAMESPACES.storage)
        self._accounts = Follower(tools.storage, SERVICE_ACCOUNTS.storage)
        self._due: DueItems[tuple[str]] = DueItems(tools.clock)

    def step(self) -> float | None:
        if (news := self._namespaces.look()) is not None:
            self._add_namespaces(news)
        if (news := self._accounts.look()) is not None:
            self._add_missing(news)
        return work_off(self._due, self._ensure)

    def _add_namespaces(self, news: News) -> None:
        for record in (*news.records, *(change.record for change in news.changes)):
            self._due.add((record.key.name,))

    def _add_missing(self, news: News) -> None:
        if news.is_anew:
            for namespace in self._tools.storage.list(NAMESPACES.storage):
                self._due.add((namespace["metadata"]["name"],))
        for change in news.changes:
            if change.type == "DELETED" and change.record.key.name == _NAME:
                self._due.add((change.record.key.namespace,))

    def _ensure(self, item: tuple[str]) -> None:
        (name,) = item
        if self._tools.storage.table(SERVICE_ACCOUNTS.storage).get(Key(name, _NAME)) is not None:
            return
        namespace = self._tools.storage.get(NAMESPACES.storage, "", name)
        if namespace is not None and "deletionTimestamp" not in namespace["metadata"]:
            account: Object = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": _NAME}}
            self._tools.loopback.create(SERVICE_ACCOUNTS, name, account)
