"""What has happened to one resource since somebody last looked."""

from typing import NamedTuple

from framework.apiserver.objects import GroupResource
from framework.apiserver.storage import Change, Record, Storage, WindowExceeded


class News(NamedTuple):
    """Every change in order; or, if they are not all known, with *is_anew* all that there is now."""

    changes: list[Change]
    records: list[Record]
    is_anew: bool


class Follower:
    """Sees every change of one resource once. Looking costs one comparison when there is none."""

    def __init__(self, storage: Storage, resource: GroupResource) -> None:
        self._storage = storage
        self._table = storage.table(resource)
        # Of the table when it was last looked at; no table has this one.
        self._revision = -1
        self._cursor: int | None = None

    def look(self) -> News | None:
        if self._table.revision == self._revision:
            return None
        with self._storage.lock:
            self._revision = self._table.revision
            cursor, self._cursor = self._cursor, self._table.end_cursor()
            try:
                if cursor is not None:
                    return News(self._table.changes_from(cursor), [], is_anew=False)
            except WindowExceeded:
                pass
            return News([], list(self._table.records()), is_anew=True)
