"""The history of a request: pure functions from the entries there are to the entries there shall be."""

from collections.abc import Sequence
from datetime import datetime

from apis.meta import micro_time, time_of
from apis.requeststate.v1 import HISTORY_LIMIT, MESSAGE_LIMIT, HistoryEntry, RequestState, State

_FOLDED = " earlier entries folded into this one"


def recorded_state(request_state: RequestState) -> State | None:
    """What the history says of the job at hand.

    Only the last entry counts: the same job never follows itself, so an entry
    of this job at the end is of this run, and one further up of an earlier one.
    """
    history = request_state.status.history
    if not history or history[-1].job != request_state.spec.job:
        return None
    return history[-1].state


def with_entry(
    history: Sequence[HistoryEntry], job: str, state: State, *, now: datetime, worker: str, message: str = ""
) -> list[HistoryEntry]:
    """*history* with one entry more; its time is never before that of the entry before it."""
    timestamp = micro_time(max(now, _last_time(history) or now))
    entry = HistoryEntry(job=job, state=state, timestamp=timestamp, worker=worker, message=message[:MESSAGE_LIMIT])
    return _folded([*history, entry])


def _last_time(history: Sequence[HistoryEntry]) -> datetime | None:
    try:
        return time_of(history[-1].timestamp) if history else None
    except ValueError:
        # Edited by hand; the server checks the format more loosely than we write it.
        return None


def _folded(history: list[HistoryEntry]) -> list[HistoryEntry]:
    surplus = len(history) - HISTORY_LIMIT
    if surplus <= 0:
        return history
    oldest, rest = history[: surplus + 1], history[surplus + 1 :]
    count = sum(_entries_in(entry) for entry in oldest[:-1]) + (1 if not _is_fold(oldest[-1]) else 0)
    last = oldest[-1]
    fold = HistoryEntry(
        job=last.job, state=last.state, timestamp=last.timestamp, worker=last.worker, message=f"{count}{_FOLDED}"
    )
    return [fold, *rest]


def _is_fold(entry: HistoryEntry) -> bool:
    return entry.message.endswith(_FOLDED)


def _entries_in(entry: HistoryEntry) -> int:
    if not _is_fold(entry):
        return 1
    count = entry.message.removesuffix(_FOLDED)
    return int(count) if count.isdigit() else 1
