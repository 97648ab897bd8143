"""Judges the audit log: who wrote in whose term, and how long nobody did.

etcd counts every write to anything, and the resourceVersion in an answer is
that number. So the order of the writes to a Lease and to a ConfigMap is known
exactly, without a look at a clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

import msgspec


class Write(msgspec.Struct, frozen=True):
    """An effective write to the ConfigMap of a trio."""

    revision: int
    at: datetime
    writer: str
    number: int
    term: int


class Reign(msgspec.Struct, frozen=True):
    """The Lease has had this holder from this revision on."""

    revision: int
    holder: str


class Gap(msgspec.Struct, frozen=True):
    """Nobody wrote from the one moment to the other."""

    since: datetime
    until: datetime

    def seconds_without(self, outages: Iterable[tuple[datetime, datetime]]) -> float:
        """How long it was, not counting the time in which there was no API server."""
        whole = (self.until - self.since).total_seconds()
        overlaps = ((min(self.until, end) - max(self.since, begin)).total_seconds() for begin, end in outages)
        return whole - sum(max(0.0, seconds) for seconds in overlaps)


class History(msgspec.Struct, frozen=True):
    """What the audit log says of one trio, in the order of the revisions."""

    writes: Sequence[Write]
    reigns: Sequence[Reign]

    def foreign_writes(self) -> list[Write]:
        """Writes of somebody who did not hold the Lease when they were applied."""
        return [write for write in self.writes if write.writer != self._holder_at(write.revision)]

    def returned_terms(self) -> list[Write]:
        """Writes of a term that come after writes of the same process in a later term."""
        newest: dict[str, int] = {}
        found = []
        for write in self.writes:
            if write.term < newest.setdefault(write.writer, write.term):
                found.append(write)
            newest[write.writer] = max(write.term, newest[write.writer])
        return found

    def gaps(self) -> list[Gap]:
        return [Gap(before.at, after.at) for before, after in pairwise(self.writes)]

    def _holder_at(self, revision: int) -> str:
        return next((reign.holder for reign in reversed(self.reigns) if reign.revision < revision), "")


def history_of(name: str, events: Iterable[Mapping[str, Any]]) -> History:
    done = [event for event in events if _is_effective(event) and event["objectRef"].get("name") == name]
    writes = [_write(event) for event in done if event["objectRef"]["resource"] == "configmaps" and _data(event)]
    leases = [event for event in done if event["objectRef"]["resource"] == "leases"]
    reigns = sorted((_reign(event) for event in leases), key=lambda reign: reign.revision)
    changes = [reigns[0]] + [after for before, after in pairwise(reigns) if after.holder != before.holder]
    return History(sorted(writes, key=lambda write: write.revision), changes)


def _is_effective(event: Mapping[str, Any]) -> bool:
    return event["stage"] == "ResponseComplete" and event["responseStatus"]["code"] in {200, 201}


def _data(event: Mapping[str, Any]) -> dict[str, str]:
    return event["responseObject"].get("data") or {}


def _revision(event: Mapping[str, Any]) -> int:
    return int(event["responseObject"]["metadata"]["resourceVersion"])


def _write(event: Mapping[str, Any]) -> Write:
    data = _data(event)
    at = datetime.fromisoformat(event["stageTimestamp"])
    return Write(_revision(event), at, data["writer"], int(data["number"]), int(data["term"]))


def _reign(event: Mapping[str, Any]) -> Reign:
    return Reign(_revision(event), event["responseObject"]["spec"].get("holderIdentity") or "")
