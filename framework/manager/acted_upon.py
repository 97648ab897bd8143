"""Which version of each resource the leader has acted upon: written into the Lease, read by the next leader."""

import heapq
from collections.abc import Callable, Mapping
from typing import Annotated

import msgspec
import structlog

from framework.runtime import Runtime

ANNOTATION = "windlass.dev/acted-upon"
# About 5 KB. Beyond it the resources that have been quiet for longest are left out.
MAX_RESOURCES = 100
_MAX_BYTES = 32 * 1024
_Recorded = dict[Annotated[str, msgspec.Meta(max_length=256)], Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]]

_log = structlog.get_logger("windlass.leader")


class ActedUpon:
    """Versions only grow, but where the server itself turns out to have come less far.

    Versions of one resource can be compared; those of two resources cannot.
    """

    def __init__(self, cached: Callable[[], Mapping[str, int]], runtime: Runtime) -> None:
        self._cached = cached
        self._lock = runtime.lock()
        # By resource, as RBAC spells it: what was acted upon before our time, and what we have written ourselves.
        self._versions: dict[str, int] = {}
        self._unreadable = ""

    def inherit(self, text: str) -> Mapping[str, int]:
        """Go on from what the Lease says, and return it: whoever led since we did knows better than we."""
        recorded = self._parsed(text)
        with self._lock:
            self._versions = dict(recorded)
        return recorded

    def note(self, resource: str, version: int) -> None:
        """We have written *version*."""
        with self._lock:
            self._versions[resource] = max(version, self._versions.get(resource, 0))

    def correct(self, resource: str, version: int) -> None:
        """The server's newest version is *version*, whatever is recorded: it was restored from a backup."""
        with self._lock:
            self._versions[resource] = version

    def text(self) -> str:
        """What the Lease shall say."""
        with self._lock:
            versions = dict(self._versions)
        for resource, version in self._cached().items():
            versions[resource] = max(version, versions.get(resource, 0))
        newest = heapq.nlargest(MAX_RESOURCES, versions.items(), key=lambda item: item[1])
        return msgspec.json.encode(dict(sorted(newest))).decode()

    def _parsed(self, text: str) -> dict[str, int]:
        if not text:
            return {}
        try:
            if len(text) > _MAX_BYTES:
                raise msgspec.ValidationError(f"{len(text)} bytes")
            return msgspec.json.decode(text, type=_Recorded)
        except msgspec.DecodeError as error:
            if text != self._unreadable:
                self._unreadable = text
                _log.warning("lease_annotation_ignored", annotation=ANNOTATION, error=str(error))
            return {}
