"""What a job is, where jobs come from, and the two that are shipped."""

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

import msgspec
import structlog

from apis.requeststate.v1 import RequestState

ENTRY_POINTS = "windlass.jobs"

_log = structlog.get_logger("windlass.jobs")


class StopSignal(Protocol):
    """Set when the job must end: its claim is lost, its request is gone, or the worker stops."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool:
        """Block for at most *timeout* seconds; true as soon as the job must end."""


class JobContext(msgspec.Struct, frozen=True):
    request: RequestState
    stop: StopSignal
    log: Any
    # 1 for the first try in this worker.
    attempt: int
    # What -job-duration says, for the samples.
    duration_seconds: float


# Returns when the job is done; raises when it failed, with a message for the history.
Job = Callable[[JobContext], None]


class JobStopped(Exception):
    """Raised by a job that ended because it was told to."""


def load_jobs() -> Mapping[str, Job]:
    """Every job that an installed distribution offers under `windlass.jobs`."""
    found = {point.name: _load(point) for point in entry_points(group=ENTRY_POINTS)}
    return {name: job for name, job in found.items() if job is not None}


def _load(point: EntryPoint) -> Job | None:
    try:
        job: Job = point.load()
    except Exception as error:  # noqa: BLE001 - one broken distribution must not take the other jobs away
        _log.error("job_not_loaded", job=point.name, source=point.value, error=str(error))
        return None
    return job


def sample_job(context: JobContext) -> None:
    """Takes its time, and does nothing else."""
    if context.stop.wait(context.duration_seconds):
        raise JobStopped
