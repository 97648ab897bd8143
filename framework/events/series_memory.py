"""The series that are remembered, and which kinds of event they cover."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from framework.events.occurrence import Kind, Occurrence
from framework.events.options import EventOptions
from framework.events.recent import Recent
from framework.events.series import Series, SeriesKey
from framework.events.similar_notes import COMBINED, SimilarNotes
from framework.events.text import LONGEST_NOTE, shortened
from framework.randomness import Random


class Remembered(msgspec.Struct, frozen=True):
    """The series of an occurrence, and one that had to be forgotten for it."""

    series: Series
    forgotten: Series | None = None


class SeriesMemory:
    def __init__(self, options: EventOptions, random: Random) -> None:
        self._random = random
        self._are_notes_told_apart = options.similar_notes > 0
        self._similar = SimilarNotes(options)
        # Invariant: _live counts the series in _series by kind.
        self._series: Recent[SeriesKey, Series] = Recent(options.memory_size)
        self._live: Counter[Kind] = Counter()

    def __iter__(self) -> Iterator[Series]:
        """Longest silent first."""
        return iter(self._series)

    def __contains__(self, series: Series) -> bool:
        return self._series.peek(series.key) is series

    def find(self, key: SeriesKey) -> Series | None:
        return self._series.peek(key)

    def hear(self, occurrence: Occurrence, now: float, *, is_over_after: float) -> Remembered:
        """Count *occurrence* in its series; one that was silent for *is_over_after* seconds is not gone on with."""
        key, note = self._key_and_note(occurrence, now)
        series = self._series.use(key)
        if series is None:
            return self._begin(key, note, occurrence, now)
        if now - series.heard_at >= is_over_after:
            self.forget(series)
            return Remembered(self._begin(key, note, occurrence, now).series, series)
        series.count += 1
        series.note, series.last_at, series.heard_at = note, occurrence.at, now
        return Remembered(series)

    def forget(self, series: Series) -> None:
        if series in self:
            self._series.pop(series.key)
            self._uncover(series)

    def rename(self, series: Series) -> None:
        """Give *series* a name that no other Event has, as far as chance can."""
        series.name = f"{series.topic.regarding.event_name}.{self._random.getrandbits(64):016x}"

    def _key_and_note(self, occurrence: Occurrence, now: float) -> tuple[SeriesKey, str]:
        if self._similar.are_combined_with(occurrence, now):
            return (occurrence.topic, COMBINED), shortened(COMBINED + occurrence.note, LONGEST_NOTE)
        return (occurrence.topic, occurrence.note if self._are_notes_told_apart else ""), occurrence.note

    def _begin(self, key: SeriesKey, note: str, occurrence: Occurrence, now: float) -> Remembered:
        kind = occurrence.topic.kind
        series = Series(
            key=key,
            name="",
            first=occurrence,
            first_note=note,
            note=note,
            last_at=occurrence.at,
            heard_at=now,
            is_first_of_kind=self._live[kind] == 0,
        )
        self.rename(series)
        self._live[kind] += 1
        forgotten = self._series.put(key, series)
        if forgotten is not None:
            self._uncover(forgotten)
        return Remembered(series, forgotten)

    def _uncover(self, series: Series) -> None:
        kind = series.topic.kind
        self._live[kind] -= 1
        if not self._live[kind]:
            del self._live[kind]
