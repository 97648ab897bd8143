"""What is on its way to the server: heard, waiting, under way, given up."""

from collections.abc import Iterable

import msgspec

from framework.errors import AlreadyExists, ApiError
from framework.events.correlator import correlator_for
from framework.events.event_api import EventApi
from framework.events.metrics import DropReason, FailReason
from framework.events.occurrence import Occurrence
from framework.events.options import EventOptions
from framework.events.pending_writes import PendingWrites
from framework.events.refusal import refusal_of
from framework.events.series import Series
from framework.events.write import Write
from framework.randomness import Random

_JITTER = 1.25
_LAST_RETRY_SECONDS = 0.2


class GivenUp(msgspec.Struct, frozen=True):
    """An event, or a repetition of one, that is not going to be written."""

    occurrence: Occurrence
    reason: DropReason | FailReason
    is_first_of_kind: bool
    error: str = ""


class _UnderWay(msgspec.Struct):
    series: Series
    write: Write
    # It was to be written in the meantime.
    is_wanted_again: bool = False


class Outbox:
    """Neither waits nor locks: whoever calls holds the lock of the recorder. One write is under way at a time."""

    def __init__(self, options: EventOptions, api: EventApi, random: Random) -> None:
        self._options = options
        self._api = api
        self._random = random
        self._correlator = correlator_for(options, random)
        self._memory = self._correlator.memory
        self._pending = PendingWrites(options.queue_size)
        # Invariant: the series under way is not pending, and those pending have more to say than the server knows.
        self._under_way: _UnderWay | None = None
        self._is_stopping = False

    def hear(self, occurrence: Occurrence, now: float) -> list[GivenUp]:
        heard = self._correlator.hear(occurrence, now)
        if heard.is_spam:
            return [GivenUp(occurrence, "spam", is_first_of_kind=False)]
        return self._add(heard.to_write, now)

    def advance(self, now: float) -> list[GivenUp]:
        """Have written what is due although nothing was said."""
        return self._add(self._correlator.due(now), now)

    def take(self, now: float) -> Write | None:
        """The next write, from now on under way."""
        series = self._pending.take(now)
        if series is None:
            return None
        self._under_way = _UnderWay(series, Write.of(series, self._api))
        return self._under_way.write

    def next_due(self) -> float:
        return min(self._pending.next_due(), self._correlator.next_due())

    @property
    def is_empty(self) -> bool:
        return not self._pending

    def delivered(self, now: float) -> list[GivenUp]:
        """The write under way has reached the server."""
        ended = self._end_write()
        return [] if ended is None else self._know(ended, ended.write.count, now)

    def failed(self, error: Exception, now: float) -> list[GivenUp]:
        """The write under way has not reached the server, as far as is known."""
        ended = self._end_write()
        if ended is None:
            return []
        series = ended.series
        refusal = refusal_of(error)
        if refusal is not None:
            series.attempts, series.not_before = 0, now + self._options.refusal_pause_seconds
            return [_given_up(series, refusal, error)]
        if isinstance(error, AlreadyExists) and ended.write.patch is None:
            if series.may_exist:
                # An earlier attempt had reached the server; maybe the count was another then.
                return self._know(ended, 1, now)
            self._memory.rename(series)
        return self._try_again(series, error, now)

    def hurry(self, now: float) -> list[GivenUp]:
        """There is no later: let nothing wait, and write the counts of all series."""
        self._is_stopping = True
        self._pending.hurry()
        return self._add(self._correlator.unwritten(), now)

    def abandon(self) -> list[GivenUp]:
        """Give up all that is left, also what is under way."""
        ended = self._end_write()
        left = [*([] if ended is None else [ended.series]), *self._pending.drain()]
        return [_given_up(series, "shutdown") for series in left]

    def _add(self, to_write: Iterable[Series], now: float) -> list[GivenUp]:
        dropped = []
        for series in to_write:
            if self._under_way is not None and series is self._under_way.series:
                self._under_way.is_wanted_again = True
            elif (victim := self._pending.add(series, now)) is not None:
                dropped.append(_given_up(victim, "queue_full"))
                self._forget_unheard(victim)
        return dropped

    def _end_write(self) -> _UnderWay | None:
        ended, self._under_way = self._under_way, None
        return ended

    def _know(self, ended: _UnderWay, count: int, now: float) -> list[GivenUp]:
        series = ended.series
        series.written_count, series.attempts, series.not_before = count, 0, 0.0
        is_wanted = ended.is_wanted_again or self._is_stopping or count == 1
        return self._add([series], now) if is_wanted and series.has_unwritten_count else []

    def _try_again(self, series: Series, error: Exception, now: float) -> list[GivenUp]:
        series.may_exist = series.may_exist or not _was_refused(error)
        series.attempts += 1
        # At the stop the deadline alone is the limit.
        if series.attempts >= self._options.max_attempts and not self._is_stopping:
            series.attempts = 0
            self._forget_unheard(series)
            return [_given_up(series, "retry_limit", error)]
        series.not_before = now + self._retry_seconds(series.attempts, error)
        return self._add([series], now)

    def _retry_seconds(self, attempts: int, error: Exception) -> float:
        if self._is_stopping:
            return _LAST_RETRY_SECONDS
        seconds = min(self._options.first_retry_seconds * 2.0 ** (attempts - 1), self._options.longest_retry_seconds)
        asked_for = error.retry_after_seconds if isinstance(error, ApiError) else None
        return max(seconds, asked_for or 0.0) * self._random.uniform(1.0, _JITTER)

    def _forget_unheard(self, series: Series) -> None:
        """Nobody has heard it: when it is said again it is no repetition."""
        if series.written_count == 0:
            self._memory.forget(series)


def _was_refused(error: Exception) -> bool:
    """The server answered that it did not do it; a 5xx may come after the deed."""
    return isinstance(error, ApiError) and error.code < 500  # noqa: PLR2004 - the first code of a server error


def _given_up(series: Series, reason: DropReason | FailReason, error: Exception | None = None) -> GivenUp:
    text = str(error) if error is not None else ""
    return GivenUp(series.first, reason, series.is_unheard_first, text)
