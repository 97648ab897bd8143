"""What a journal knows of one object, as a document: what a process serves and `windlass explain` reads."""

from datetime import datetime, timedelta

import msgspec

from apis.meta import Request
from framework.journal.call import Call
from framework.journal.journal import Journal
from framework.journal.run import Run
from framework.log import without_secrets
from framework.workqueue import Reason

_LONGEST_ERROR = 300


class ReasonReport(msgspec.Struct, rename="camel", omit_defaults=True):
    what: str
    source: str = ""
    object: str = ""
    old_version: int = 0
    new_version: int = 0
    count: int = 1


class CallReport(msgspec.Struct, rename="camel", omit_defaults=True):
    verb: str
    resource: str
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    old_version: str = ""
    version: str = ""
    error: str = ""


class CacheReadReport(msgspec.Struct, rename="camel", omit_defaults=True):
    resource: str
    namespace: str = ""
    name: str = ""
    version: str = ""
    listed: int | None = None


class RunReport(msgspec.Struct, rename="camel", omit_defaults=True):
    id: str
    started: datetime
    waited_seconds: float
    priority: int
    reasons: list[ReasonReport]
    outcome: str
    # So far, while it runs.
    took_seconds: float
    cache_reads: list[CacheReadReport] = []
    cache_reads_left_out: int = 0
    reads: list[CallReport] = []
    writes: list[CallReport] = []
    calls_left_out: int = 0
    error: str = ""
    next_in_seconds: float | None = None


class ControllerReport(msgspec.Struct, rename="camel", omit_defaults=True):
    """The runs of one object by one controller, the newest last."""

    controller: str
    object: str
    runs: list[RunReport]
    # How many there were, of which `runs` are the last.
    count: int
    cluster: str = ""


class Explanation(msgspec.Struct, rename="camel"):
    kind: str
    now: datetime
    controllers: list[ControllerReport]


class Problem(msgspec.Struct):
    """Why there is no explanation, in one line."""

    error: str


def controller_report(
    controller: str, journal: Journal, request: Request, *, now: datetime, monotonic: float
) -> ControllerReport:
    """*now* and *monotonic* are the same moment on both clocks."""
    count, runs = journal.look(request)
    return ControllerReport(
        controller,
        str(request.key),
        [_run_report(run, now, monotonic) for run in runs],
        count,
        request.cluster,
    )


def _run_report(run: Run, now: datetime, monotonic: float) -> RunReport:
    ago = monotonic - run.started_at
    # Taken once: a run that goes on may get more.
    calls = run.calls
    return RunReport(
        id=run.id,
        started=now - timedelta(seconds=ago),
        waited_seconds=run.waited_seconds,
        priority=run.priority,
        reasons=[_reason_report(reason) for reason in run.reasons],
        outcome=run.outcome,
        took_seconds=ago if run.took_seconds is None else run.took_seconds,
        cache_reads=[CacheReadReport(**msgspec.structs.asdict(read)) for read in run.cache_reads],
        cache_reads_left_out=run.cache_reads_left_out,
        reads=[_call_report(call) for call in calls if call.is_read],
        writes=[_call_report(call) for call in calls if not call.is_read],
        calls_left_out=run.calls_left_out,
        error=_shown(run.error),
        next_in_seconds=run.next_in_seconds,
    )


def _call_report(call: Call) -> CallReport:
    return CallReport(**{**msgspec.structs.asdict(call), "error": _shown(call.error)})


def _shown(error: str) -> str:
    """Short, and without anything that looks like a credential."""
    return str(without_secrets(error))[:_LONGEST_ERROR]


def _reason_report(reason: Reason) -> ReasonReport:
    subject = "" if reason.subject is None else str(reason.subject)
    return ReasonReport(reason.what, reason.source, subject, reason.old_version, reason.new_version, reason.count)
