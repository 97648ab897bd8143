"""Decides which occurrences are written, and when; all in memory, without waiting."""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import takewhile
from math import inf
from typing import Protocol

import msgspec

from framework.events.occurrence import Occurrence
from framework.events.options import EventOptions
from framework.events.series import Series, SeriesKey
from framework.events.series_memory import SeriesMemory
from framework.events.spam_filter import SpamFilter
from framework.randomness import Random


class Heard(msgspec.Struct, frozen=True):
    to_write: tuple[Series, ...] = ()
    is_spam: bool = False


class Correlator(Protocol):
    memory: SeriesMemory

    def hear(self, occurrence: Occurrence, now: float) -> Heard:
        """Remember *occurrence*, and tell what to write for it."""

    def due(self, now: float) -> list[Series]:
        """What is to be written by now although nothing was said."""

    def next_due(self) -> float:
        """When `due` may have something to say, on the monotonic clock."""

    def unwritten(self) -> list[Series]:
        """Of what the server must still hear when there is no later."""


class SeriesCorrelator:
    """As client-go's tools/events: the first and the second time are written at once, all others by and by."""

    def __init__(self, options: EventOptions, random: Random) -> None:
        self.memory = SeriesMemory(options, random)
        self._finish_seconds = options.finish_seconds
        self._refresh_seconds = options.refresh_seconds
        # When each series that repeats is written next; soonest first, since the interval is always the same.
        self._refreshes: OrderedDict[SeriesKey, float] = OrderedDict()

    def hear(self, occurrence: Occurrence, now: float) -> Heard:
        remembered = self.memory.hear(occurrence, now, is_over_after=self._finish_seconds)
        series, forgotten = remembered.series, remembered.forgotten
        ended = () if forgotten is None else self._end(forgotten)
        if series.count == 1:
            return Heard((*ended, series))
        self._refreshes.setdefault(series.key, now + self._refresh_seconds)
        # Also the second time if the first did not get through, and so on.
        return Heard((*ended, series) if series.written_count <= 1 else ended)

    def due(self, now: float) -> list[Series]:
        return [*self._finished(now), *self._refreshed(now)]

    def next_due(self) -> float:
        longest_silent = next(iter(self.memory), None)
        finish = inf if longest_silent is None else longest_silent.heard_at + self._finish_seconds
        return min(finish, next(iter(self._refreshes.values()), inf))

    def unwritten(self) -> list[Series]:
        return [series for series in self.memory if series.has_unwritten_count]

    def _finished(self, now: float) -> Iterator[Series]:
        over = list(takewhile(lambda series: series.heard_at + self._finish_seconds <= now, self.memory))
        for series in over:
            self.memory.forget(series)
            yield from self._end(series)

    def _refreshed(self, now: float) -> Iterator[Series]:
        keys = [key for key, _ in takewhile(lambda entry: entry[1] <= now, self._refreshes.items())]
        for key in keys:
            # If the series goes on, its next occurrence sets the next time.
            self._refreshes.pop(key)
            series = self.memory.find(key)
            if series is not None and series.has_unwritten_count:
                yield series

    def _end(self, series: Series) -> tuple[Series, ...]:
        self._refreshes.pop(series.key, None)
        return (series,) if series.has_unwritten_count else ()


class CountingCorrelator:
    """As client-go's tools/record: every time is written, as far as the spam filter lets it."""

    def __init__(self, options: EventOptions, random: Random) -> None:
        self.memory = SeriesMemory(options, random)
        self._spam_filter = SpamFilter(options)

    def hear(self, occurrence: Occurrence, now: float) -> Heard:
        series = self.memory.hear(occurrence, now, is_over_after=inf).series
        is_let_through = self._spam_filter.lets_through(occurrence.topic, now)
        # client-go filters these as well, and so may hide why an object that speaks much is broken.
        if is_let_through or series.is_unheard_first:
            return Heard((series,))
        return Heard(is_spam=True)

    def due(self, now: float) -> list[Series]:  # noqa: ARG002 - nothing is put off
        return []

    def next_due(self) -> float:
        return inf

    def unwritten(self) -> list[Series]:
        return []


def correlator_for(options: EventOptions, random: Random) -> Correlator:
    if options.api_version == "v1":
        return CountingCorrelator(options, random)
    return SeriesCorrelator(options, random)
