"""Runs the jobs of claimed requests, from the claim to the outcome."""

from collections.abc import Mapping

import structlog

from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.held import HeldClaim, HeldClaims
from controllers.requeststate.history import OVER
from controllers.requeststate.jobs import Job, JobContext, JobStopped
from controllers.requeststate.renewal import ClaimRenewal
from controllers.requeststate.transitions import ClaimLost, Transitions
from controllers.requeststate.worker_options import WorkerOptions
from framework.clock import Clock
from framework.errors import WindlassError
from framework.store import Change

# Shares of the grace period: until then jobs may end by themselves, and until then they must have ended.
_ASK_AT, _GIVE_UP_AT = 0.7, 0.9

_log = structlog.get_logger("windlass.worker")


class JobFailed(WindlassError):
    """A job raised and has tries left; the queue's backoff decides when."""


class JobRunner:
    def __init__(
        self,
        jobs: Mapping[str, Job],
        held: HeldClaims,
        renewal: ClaimRenewal,
        transitions: Transitions,
        options: WorkerOptions,
        *,
        clock: Clock,
    ) -> None:
        self.jobs = jobs
        self._held = held
        self._renewal = renewal
        self._transitions = transitions
        self._options = options
        self._clock = clock
        self.is_stopping = False

    def go_on(self, held: HeldClaim) -> None:
        """Bring *held* to its end, from wherever an earlier try left it."""
        if not self._held.begin(held):
            return
        try:
            self._carry_out(held)
        except ClaimLost as loss:
            _log.info("job_given_up", job=held.job, why=str(loss))
            self._held.drop(held)
        finally:
            self._held.pause(held)

    def _carry_out(self, held: HeldClaim) -> None:
        if held.outcome is None:
            self._transitions.start(held)
            self._run(held)
        if held.outcome is None:
            self._transitions.hand_back(held)
        else:
            self._transitions.finish(held, held.outcome)
        self._held.drop(held)

    def _run(self, held: HeldClaim) -> None:
        """Set the outcome; leave it open when the job was stopped."""
        if self.is_stopping:
            return
        try:
            self.jobs[held.job](self._context(held))
        except JobStopped:
            if not held.is_set():
                self._failed(held, JobFailed("the job stopped without being told to"))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a job is foreign code; its message goes to the history
            # What a job raises because it was stopped says nothing about the job.
            if not held.is_set():
                self._failed(held, error)
        else:
            held.outcome = State.COMPLETED

    def _context(self, held: HeldClaim) -> JobContext:
        return JobContext(
            request=held.latest,
            stop=held,
            log=_log.bind(job=held.job, object=str(held.key)),
            attempt=held.failures + 1,
            duration_seconds=self._options.job_duration_seconds,
        )

    def _failed(self, held: HeldClaim, error: BaseException) -> None:
        held.failures += 1
        message = " ".join(str(error).split()) or type(error).__name__
        if held.failures > self._options.job_retries:
            held.outcome, held.message = State.FAILED, message
        elif not self.is_stopping:
            raise JobFailed(f"job {held.job} failed at try {held.failures}: {message}") from error

    def on_change(self, change: Change[RequestState]) -> None:
        """End a running job at once when its request is gone or is another's; the queue would come too late."""
        held = self._held.get(change.key)
        if held is not None and (change.new is None or self._is_lost(held, change.new)):
            self._held.drop(held)

    def _is_lost(self, held: HeldClaim, current: RequestState) -> bool:
        if current.metadata.uid != held.uid or current.metadata.is_being_deleted:
            return True
        if int(current.metadata.resource_version) <= int(held.latest.metadata.resource_version):
            # The cache is behind our own writes.
            return False
        claim = current.status.claim
        is_anothers = claim is not None and claim.worker != self._options.name
        return is_anothers or not held.is_for(current) or (held.outcome is None and current.spec.state in OVER)

    def drain(self, grace_period_seconds: float) -> None:
        """Begin nothing new; let jobs end by themselves for most of the time there is, then tell them to."""
        self.is_stopping = True
        started = self._clock.monotonic()
        self._hand_back_idle()
        if not self._held.wait_until_none_is_busy(grace_period_seconds * _ASK_AT):
            for held in self._held.all():
                held.end()
            left = grace_period_seconds * _GIVE_UP_AT - (self._clock.monotonic() - started)
            self._held.wait_until_none_is_busy(left)
        # A job that does not listen keeps its claim until that expires: nobody else may begin it while it runs.
        self._renewal.close()

    def _hand_back_idle(self) -> None:
        """Those whose job failed and waits for its next try."""
        for held in self._held.all():
            if self._held.begin(held):
                self._transitions.hand_back(held)
                self._held.drop(held)
                self._held.pause(held)
