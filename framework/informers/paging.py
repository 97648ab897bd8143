"""One whole list, in as many pages as it takes."""

from collections.abc import Callable

import msgspec

from apis.meta import Key, KubeObject
from framework.client import Client, Kind
from framework.client.codec import ObjectList
from framework.errors import Cancelled, Expired, TransportError
from framework.informers.scope import Scope
from framework.runtime import Event
from framework.store import Entry

PAGE_SIZE = 500


class PagedList:
    """Reads the state of a scope as it was at one version."""

    def __init__(
        self,
        kind: Kind[KubeObject],
        scope: Scope,
        *,
        client: Client,
        read: Callable[[bytes | msgspec.Raw], Entry],
        stop: Event,
        page_size: int = PAGE_SIZE,
    ) -> None:
        self._kind = kind
        self._scope = scope
        self._client = client
        self._read = read
        self._stop = stop
        self._page_size = str(page_size)

    def fetch(self, version: str) -> tuple[dict[Key, Entry], int]:
        """All objects and their list's version, at or after *version*; "" is the newest, "0" any."""
        entries: dict[Key, Entry] = {}
        query: dict[str, str] = {}
        # The watch cache answers a given version at once and ignores limits; for the others pages bound memory.
        if version in ("", "0"):
            query["limit"] = self._page_size
        page = self._page({**query, **_at_or_after(version)})
        self._collect(page, entries)
        while page.metadata.continue_:
            page = self._next_page(page, entries)
        return entries, _version_of(page)

    def ask_for(self, version: int) -> None:
        """Raise TooLargeResourceVersion if the server has not come as far as *version*."""
        self._page({"limit": "1", **_at_or_after(str(version))})

    def _next_page(self, page: ObjectList, entries: dict[Key, Entry]) -> ObjectList:
        try:
            page = self._page({"limit": self._page_size, "continue": page.metadata.continue_})
        except Expired:
            # The snapshot is gone. The token the server offers instead would mix
            # two states, and pages so slow may expire again: ask for all at once.
            entries.clear()
            page = self._page({})
        self._collect(page, entries)
        return page

    def _page(self, query: dict[str, str]) -> ObjectList:
        if self._stop.is_set():
            raise Cancelled("stopped")
        scope = self._scope
        try:
            return self._client.list_page(
                self._kind, scope.namespace, {**scope.query, **query}, metadata_only=scope.metadata_only
            )
        except msgspec.DecodeError as error:
            raise TransportError(f"unreadable list: {error}") from error

    def _collect(self, page: ObjectList, entries: dict[Key, Entry]) -> None:
        try:
            for raw in page.items or ():
                entry = self._read(raw)
                entries[entry.key] = entry
        except ValueError as error:
            raise TransportError(f"unreadable list item: {error}") from error


def _at_or_after(version: str) -> dict[str, str]:
    return {"resourceVersion": version, "resourceVersionMatch": "NotOlderThan"} if version else {}


def _version_of(page: ObjectList) -> int:
    try:
        return int(page.metadata.resource_version)
    except ValueError as error:
        raise TransportError(f"a list without a version to watch from: {error}") from error
