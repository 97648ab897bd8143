"""What the server has at one key, asked for when a cache does not tell."""

import msgspec

from apis.meta import Key, ResourceType
from framework.client import Client
from framework.own_writes.scope import CacheScope
from framework.store import Entry, decode_envelope


class Truth(msgspec.Struct, frozen=True):
    """At *version* the server had this object in the cache's scope, or none."""

    version: int
    entry: Entry | None = None

    def is_of(self, cached: Entry | None) -> bool:
        """Whether *cached* is the same object in the same version, or there is none in both."""
        return _identity(cached) == _identity(self.entry)


def ask(client: Client, resource_type: ResourceType, key: Key, scope: CacheScope) -> Truth:
    """One consistent read. By list and not by get: its answer tells a version also when there is nothing,
    and the server itself judges the selectors.
    """
    name = f"metadata.name={key.name}" if key.name else ""
    fields = ",".join(part for part in (name, scope.query.get("fieldSelector", "")) if part)
    query = {**scope.query, **({"fieldSelector": fields} if fields else {}), "limit": "1"}
    page = client.list_page(resource_type, key.namespace, query, metadata_only=True)
    entries = [decode_envelope(raw) for raw in page.items or ()]
    return Truth(int(page.metadata.resource_version), entries[0] if entries and key.name else None)


def _identity(entry: Entry | None) -> tuple[str, int] | None:
    return None if entry is None else (entry.uid, entry.version)
