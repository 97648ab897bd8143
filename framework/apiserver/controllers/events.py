"""Deletes Events an hour after their last occurrence, as the leases of a real server's storage do."""

from datetime import datetime
from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import EVENTS
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.errors import Conflict, NotFound

_KEEP_SECONDS = 3600.0


class _Metadata(msgspec.Struct, rename="camel", gc=False):
    creation_timestamp: datetime


class _Series(msgspec.Struct, rename="camel", gc=False):
    last_observed_time: datetime | None = None


class _Event(msgspec.Struct, rename="camel", gc=False):
    metadata: _Metadata
    last_timestamp: datetime | None = None
    event_time: datetime | None = None
    series: _Series | None = None

    def last_seen(self) -> datetime:
        series = self.series.last_observed_time if self.series else None
        times = (self.metadata.creation_timestamp, self.last_timestamp, self.event_time, series)
        return max(time for time in times if time is not None)


_decode = msgspec.json.Decoder(_Event).decode


class EventExpiry:
    def __init__(self, tools: ControllerTools) -> None:
        self._tools = tools
        self._follower = Follower(tools.storage, EVENTS.storage)
        self._due: DueItems[Key] = DueItems(tools.clock)

    def step(self) -> float | None:
        if (news := self._follower.look()) is not None:
            for record in news.records:
                self._due.add(record.key, self._seconds_left(record.raw))
            for change in news.changes:
                if change.type == "DELETED":
                    self._due.forget(change.record.key)
                else:
                    self._due.add(change.record.key, self._seconds_left(change.record.raw))
        return work_off(self._due, self._expire)

    def _expire(self, key: Key) -> float | None:
        record = self._tools.storage.table(EVENTS.storage).get(key)
        if record is None:
            return None
        # It may have happened again since it was put down.
        if (left := self._seconds_left(record.raw)) > 0:
            return left
        event: dict[str, Any] = record.decode()
        try:
            self._tools.loopback.delete(EVENTS, event, only_unchanged=True)
        except (Conflict, NotFound):
            return 0.0
        return None

    def _seconds_left(self, raw: bytes) -> float:
        age = (self._tools.clock.now() - _decode(raw).last_seen()).total_seconds()
        return max(0.0, _KEEP_SECONDS - age)
