"""Keeps objects as bytes under one revision counter, with a window of past changes for each resource.

Guarantees: every committed write has a revision of its own, larger than all before; a write is committed only if the
object is still the one that was read; with a journal, what was answered survives a kill; a snapshot or a cursor shows
every change of its span once and in order, or says that the window no longer reaches back that far.
Not guaranteed: history across a restart.
"""

from framework.apiserver.storage.journal import Journal, JournalWrite, StoredRow
from framework.apiserver.storage.record import Change, Record
from framework.apiserver.storage.storage import Stale, Storage, StorageOptions
from framework.apiserver.storage.table import Table, WindowExceeded

__all__ = [
    "Change",
    "Journal",
    "JournalWrite",
    "Record",
    "Stale",
    "Storage",
    "StorageOptions",
    "StoredRow",
    "Table",
    "WindowExceeded",
]
