"""An explanation in words, for a person at a terminal."""

from collections.abc import Iterator
from datetime import UTC, datetime

from framework.journal.report import CacheReadReport, CallReport, ControllerReport, Explanation, ReasonReport, RunReport

_MILLISECOND, _MINUTE, _HOUR = 0.001, 60.0, 3600.0
_DONE = {
    "success": "done; waits for a change",
    "requeue_after": "done for now",
    "requeue": "not done yet; looks again with backoff",
    "terminal_error": "failed for good; waits for a change",
    "error": "failed; tries again",
    "running": "still running",
}


def lines_of(explanation: Explanation) -> Iterator[str]:
    for index, report in enumerate(explanation.controllers):
        if index:
            yield ""
        yield _title(explanation.kind, report)
        for run in report.runs:
            yield from _run_lines(run, explanation.now)


def _title(kind: str, report: ControllerReport) -> str:
    where = f" in cluster {report.cluster}" if report.cluster else ""
    shown = len(report.runs)
    how_many = f"the last {shown} of {report.count} reconciles" if report.count > shown else _counted(shown)
    return f"{kind} {report.object}{where}, {report.controller}: {how_many}, the newest last"


def _counted(reconciles: int) -> str:
    return "1 reconcile" if reconciles == 1 else f"{reconciles} reconciles"


def _run_lines(run: RunReport, now: datetime) -> Iterator[str]:
    started = run.started.astimezone(UTC)
    ago = _length((now - run.started).total_seconds())
    yield f"  {started:%Y-%m-%d %H:%M:%S}.{started.microsecond // 1000:03d}Z  {ago} ago  id {run.id}"
    for label, texts in _facts(run):
        for index, text in enumerate(texts):
            yield f"    {label if not index else '':<8}{text}"


def _facts(run: RunReport) -> Iterator[tuple[str, list[str]]]:
    yield "why", [_reason_text(reason) for reason in run.reasons] or ["not known: it was queued without a reason"]
    yield "waited", [f"{_length(run.waited_seconds)} in the queue, at priority {run.priority}"]
    yield "cache", [_cache_text(read) for read in run.cache_reads]
    if run.cache_reads_left_out:
        yield "", [f"and {run.cache_reads_left_out} more"]
    yield "read", [_call_text(call) for call in run.reads]
    yield "wrote", [_call_text(call) for call in run.writes]
    if run.calls_left_out:
        yield "", [f"and {run.calls_left_out} more"]
    yield "result", [f"{_DONE.get(run.outcome, run.outcome)}, after {_length(run.took_seconds)}"]
    if run.error:
        yield "error", [run.error]
    if run.next_in_seconds is not None:
        yield "next", [f"{_length(run.next_in_seconds)} after its end, or at the next change"]


def _reason_text(reason: ReasonReport) -> str:
    times = f" ({reason.count} times)" if reason.count > 1 else ""
    match reason.what:
        case "retry":
            return f"it failed before, with {reason.source}{times}"
        case "backoff":
            return f"the reconcile before asked to look again with backoff{times}"
        case "later":
            return f"the time had come for which the reconcile before had asked{times}"
        case "called":
            return f"code asked for it{times}"
        case "others":
            return f"and {reason.count} more"
    return f"{reason.source} {reason.object} {_event_text(reason)}{times}"


def _event_text(reason: ReasonReport) -> str:
    versions = f"{reason.old_version} → {reason.new_version}"
    return {
        "created": f"was created: version {reason.new_version}",
        "changed": f"changed: version {versions}",
        "deleted": f"was deleted: version {reason.old_version}",
        "listed": f"was there when the controller first looked: version {reason.new_version}",
        "resync": f"is looked at from time to time: version {reason.new_version}",
    }.get(reason.what, reason.what)


def _cache_text(read: CacheReadReport) -> str:
    if read.listed is not None:
        return f"{read.listed} {read.resource}" + (f" in {read.namespace}" if read.namespace else "")
    key = f"{read.namespace}/{read.name}" if read.namespace else read.name
    return f"{read.resource} {key}: " + (f"version {read.version}" if read.version else "not there")


def _call_text(call: CallReport) -> str:
    resource = f"{call.resource}/{call.subresource}" if call.subresource else call.resource
    key = f"{call.namespace}/{call.name}" if call.namespace and call.name else call.namespace or call.name
    old = f"{call.old_version} → " if call.old_version else ""
    outcome = f": {call.error}" if call.error else f": version {old}{call.version}" if call.version else ""
    return f"{call.verb} {resource} {key}".rstrip() + outcome


def _length(seconds: float) -> str:
    if seconds < 1.0:
        return f"{seconds / _MILLISECOND:.1f}ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f}s"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)}m{int(seconds % _MINUTE)}s"
    return f"{int(seconds // _HOUR)}h{int(seconds % _HOUR // _MINUTE)}m"
