"""Reads the sets of entries, and remembers them: most were written here a moment ago."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from framework.apiserver.managedfields.entries import Entry, Managers, decoded
from framework.apiserver.managedfields.fieldset import FieldSet, parsed
from framework.apiserver.managedfields.reconciliation import reconciled
from framework.apiserver.managedfields.updater import Versions

_REMEMBERED_SETS = 4096


class EntryReader:
    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._remembered = lru_cache(maxsize=_REMEMBERED_SETS)(self._parsed)

    def managers(self, entries: Sequence[Entry]) -> Managers:
        """Raises BadEntry if an entry is not usable."""
        return decoded(entries, self._fields)

    def _fields(self, document: Any, api_version: str) -> tuple[FieldSet, bool]:
        return self._remembered(msgspec.json.encode(document), api_version)

    def _parsed(self, document: bytes, api_version: str) -> tuple[FieldSet, bool]:
        raw = msgspec.json.decode(document)
        fields = parsed(raw)
        if self._versions.knows(api_version):
            fields = reconciled(self._versions.schema(api_version), fields)
        return fields, fields == raw
