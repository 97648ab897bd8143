"""PeerPodConfigs as they are stored, also those that no server would take any more."""

from collections.abc import Mapping
from typing import Any

import msgspec

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.meta import Key, Unstructured
from controllers.peerpods.listing import Listing


class StoredConfig(msgspec.Struct, frozen=True):
    """*problem* says why its spec cannot be read, and then that of *config* is the default one."""

    config: PeerPodConfig
    problem: str = ""


class StoredConfigs:
    """One object that was stored before its definition became stricter must not stop the work for all others."""

    def __init__(self, objects: Listing[Unstructured]) -> None:
        self._objects = objects

    def get(self, key: Key) -> StoredConfig | None:
        found = self._objects.get(key)
        return None if found is None else stored_config(found.content)

    def list(self) -> list[StoredConfig]:
        """All, the one first that has the first word about a node."""
        return sorted((stored_config(each.content) for each in self._objects.list()), key=_precedence)


def stored_config(content: Mapping[str, Any]) -> StoredConfig:
    try:
        return StoredConfig(msgspec.convert(content, PeerPodConfig))
    except msgspec.ValidationError as error:
        rest = {name: value for name, value in content.items() if name != "spec"}
        return StoredConfig(msgspec.convert(rest, PeerPodConfig), str(error))


def _precedence(stored: StoredConfig) -> tuple[str, Key]:
    created = stored.config.metadata.creation_timestamp
    return created.isoformat() if created else "", stored.config.key
