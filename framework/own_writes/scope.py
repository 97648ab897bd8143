"""Which objects a cache is for."""

import msgspec

from apis.meta import Key
from framework.own_writes.field_selector import FieldSelector
from framework.store import LabelSelector


class _Labelled(msgspec.Struct):
    labels: dict[str, str] | None = None


class _Object(msgspec.Struct):
    metadata: _Labelled


_labels = msgspec.json.Decoder(_Object)


class CacheScope:
    """Namespaces and selectors, judged as the server does when it decides what to send."""

    def __init__(self, namespaces: tuple[str, ...] = ("",), labels: str = "", fields: str = "") -> None:
        self._namespaces = frozenset(namespaces)
        self._labels: LabelSelector | None = None
        self._fields: FieldSelector | None = None
        # False: only the server can tell what a selector in an unknown spelling selects.
        self.is_understood = True
        try:
            self._labels = LabelSelector.parse(labels) if labels else None
            self._fields = FieldSelector.parse(fields) if fields else None
        except ValueError:
            self.is_understood = False
        given = {"labelSelector": labels, "fieldSelector": fields}
        self.query = {name: value for name, value in given.items() if value}

    @property
    def is_selective(self) -> bool:
        """An object can leave the cache without being deleted, and come back."""
        return bool(self.query)

    def stream_of(self, key: Key) -> str | None:
        """The namespace under which *key* is watched (empty: all); None if it is not."""
        if "" in self._namespaces:
            return ""
        return key.namespace if key.namespace in self._namespaces else None

    def selects(self, raw: bytes) -> bool:
        """Whether the selectors match the object; its namespace is not looked at."""
        if self._labels is not None and not self._labels.matches(_labels.decode(raw).metadata.labels or {}):
            return False
        return self._fields is None or self._fields.matches(msgspec.json.decode(raw))
