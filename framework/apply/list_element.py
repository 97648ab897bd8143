"""An item of a list, as managed fields name it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.apply.sameness import is_same


class ListElement(msgspec.Struct, frozen=True):
    """Told apart by some of its fields, or in a set by being itself."""

    text: str
    identity: Any
    is_keyed: bool
    # What is owned of it.
    fields: Mapping[str, Any]

    def fits(self, item: Any) -> bool:
        """*item* says part of the identity, and nothing that contradicts it."""
        if not self.is_keyed:
            return is_same(item, self.identity)
        said = item.keys() & self.identity.keys() if isinstance(item, dict) else ()
        return bool(said) and all(is_same(item[name], self.identity[name]) for name in said)

    def is_identity_of(self, item: Any) -> bool:
        if not self.is_keyed:
            return is_same(item, self.identity)
        return isinstance(item, dict) and all(
            name in item and is_same(item[name], value) for name, value in self.identity.items()
        )


def element_of(name: str, fields: Mapping[str, Any]) -> ListElement:
    """*name* is `k:` or `v:`, followed by JSON."""
    kind, text = name[:2], name[2:]
    return ListElement(text, msgspec.json.decode(text), kind == "k:", fields)
