"""Remembers what this process wrote, so that it does not decide on a cache that has not seen it yet."""

from apis.meta import Key
from apis.requeststate.v1 import RequestState


class WrittenVersions:
    """One entry for a key from a write of ours until the cache shows it."""

    def __init__(self) -> None:
        self._versions: dict[Key, tuple[str, int]] = {}

    def note(self, written: RequestState) -> RequestState:
        metadata = written.metadata
        self._versions[metadata.key] = (metadata.uid, int(metadata.resource_version))
        return written

    def is_stale(self, cached: RequestState) -> bool:
        """The event that brings the cache up to date is still to come, and will bring this key back."""
        metadata = cached.metadata
        uid, version = self._versions.get(metadata.key, ("", 0))
        if uid == metadata.uid and int(metadata.resource_version) < version:
            return True
        self._versions.pop(metadata.key, None)
        return False

    def forget(self, key: Key) -> None:
        self._versions.pop(key, None)
