"""The history of a request: pure functions from the entries there are to the entries there shall be."""

from collections.abc import Sequence
from datetime import datetime

from apis.meta import micro_time, time_of
from apis.requeststate.v1 import HISTORY_LIMIT, MESSAGE_LIMIT, HistoryEntry, RequestState, State

OVER = frozenset({State.COMPLETED, State.FAILED})
_FOLDED = " earlier entries folded into this one"


def recorded_state(request_state: RequestState) -> State | None:
    """What the history says of this run of the job at hand; None if nothing.

    Only the last entry counts: the same job never follows itself, so an entry
    of this job further up is of an earlier run. A run that is merely requested
    cannot be over, whatever somebody wrote into the history by hand.
    """
    history = request_state.status.history
    if not history or history[-1].job != request_state.spec.job:
        return None
    state = history[-1].state
    return None if state in OVER and request_state.spec.state is State.REQUESTED else state


def recorded_outcome(request_state: RequestState) -> State | None:
    """How the job at hand ended, if the history says that it did."""
    state = recorded_state(request_state)
    return state if state in OVER else None


def with_entry(
    history: Sequence[HistoryEntry], job: str, state: State, *, now: datetime, worker: str, message: str = ""
) -> list[HistoryEntry]:
    """*history* with one entry more; its time is never before that of the entry before it."""
    timestamp = micro_time(max(now, _last_time(history) or now))
    entry = HistoryEntry(job=job, state=state, timestamp=timestamp, worker=worker, message=message[:MESSAGE_LIMIT])
    return _folded([*history, entry])


def _last_time(history: Sequence[HistoryEntry]) -> datetime | None:
    return next((time for entry in reversed(history) if (time := _time_of(entry)) is not None), None)


def _time_of(entry: HistoryEntry) -> datetime | None:
    try:
        return time_of(entry.timestamp)
    except (ValueError, OverflowError):
        # Edited by hand; the server checks the format more loosely than we write it.
        return None


def _folded(history: list[HistoryEntry]) -> list[HistoryEntry]:
    surplus = len(history) - HISTORY_LIMIT
    if surplus <= 0:
        return history
    oldest, rest = history[: surplus + 1], history[surplus + 1 :]
    last = oldest[-1]
    count = sum(_entries_in(entry) for entry in oldest)
    fold = HistoryEntry(
        job=last.job, state=last.state, timestamp=last.timestamp, worker=last.worker, message=f"{count}{_FOLDED}"
    )
    return [fold, *rest]


def _entries_in(entry: HistoryEntry) -> int:
    count = entry.message.removesuffix(_FOLDED)
    is_fold = count != entry.message and count.isascii() and count.isdigit()
    return int(count) if is_fold else 1
