"""Keeps the claims of this worker alive while their jobs run."""

import structlog

from apis.meta import micro_time
from apis.requeststate.v1 import RequestState
from controllers.requeststate.held import HeldClaim, HeldClaims
from controllers.requeststate.history import OVER, recorded_outcome
from framework.client import Client
from framework.clock import Clock
from framework.errors import Conflict, Invalid, NotFound, WindlassError
from framework.runtime import Deadline, Runtime, Task, deadline_scope

_log = structlog.get_logger("windlass.claims")


class ClaimRenewal:
    """Renews each claim every third of its duration; one that could not be renewed in time is given up."""

    def __init__(self, client: Client, worker: str, held: HeldClaims, *, clock: Clock, runtime: Runtime) -> None:
        self._client = client
        self._worker = worker
        self._held = held
        # Half an interval for one answer: a claim whose renewal hangs must not cost the others theirs.
        self._limit_seconds = held.renewal_seconds / 2
        self._clock = clock
        self._runtime = runtime
        self._closed = runtime.event()
        self._task: Task | None = None

    def start(self) -> None:
        self._task = self._runtime.spawn("claims", self._run)

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(self._seconds_to_next()):
            for held in self._held.all():
                self._renew_if_due(held)

    def _seconds_to_next(self) -> float:
        # A claim got meanwhile is not due before a whole interval has passed, so nobody need wake us for it.
        now = self._clock.monotonic()
        waits = [held.renew_at - now for held in self._held.all() if not held.is_off]
        return max(0.0, min([*waits, self._held.renewal_seconds]))

    def _renew_if_due(self, held: HeldClaim) -> None:
        with held.writing:
            now = self._clock.monotonic()
            if held.is_off or now < held.renew_at or self._held.get(held.key) is not held:
                return
            if held.is_expired:
                self._lose(held, "could not be renewed in time")
            else:
                self._try(held, now)

    def _try(self, held: HeldClaim, now: float) -> None:
        held.renew_at = now + self._limit_seconds
        try:
            with deadline_scope(Deadline(now + self._limit_seconds, self._limit_seconds)):
                self._renew(held, now)
        except NotFound:
            self._held.drop(held)
        except Conflict:
            # Somebody writes at the same moment; the next try sees what.
            return
        except WindlassError as error:
            _log.warning("claim_not_renewed", object=str(held.key), error=str(error))

    def _renew(self, held: HeldClaim, now: float) -> None:
        renewed = self._replace_renew_time(held)
        if renewed is not None:
            held.latest = renewed
            # From before the write: others count from when they see it, which is later.
            held.valid_until = now + self._held.duration_seconds
            held.renew_at = now + self._held.renewal_seconds

    def _replace_renew_time(self, held: HeldClaim) -> RequestState | None:
        # Tests instead of a resourceVersion: what others write meanwhile is no reason to lose the claim.
        operations = (
            {"op": "test", "path": "/metadata/uid", "value": held.uid},
            {"op": "test", "path": "/status/claim/worker", "value": self._worker},
            {"op": "replace", "path": "/status/claim/renewTime", "value": micro_time(self._clock.now())},
        )
        try:
            return self._client.json_patch(RequestState, held.key, operations, subresource="status")
        except Invalid:
            return self._reassert(held)

    def _reassert(self, held: HeldClaim) -> RequestState | None:
        """A test failed: the claim is another's now, the job is over, or somebody removed the claim by hand."""
        current = self._client.get(RequestState, held.key)
        if not held.is_for(current) or current.status.claim is not None:
            self._lose(held, "is another's now")
            return None
        if _is_over(current):
            # The claim went with the outcome, in a write whose answer was lost.
            held.is_off = True
            return None
        now = micro_time(self._clock.now())
        before = held.latest.status.claim
        acquired = before.acquire_time if before else now
        claim = {"worker": self._worker, "acquireTime": acquired, "renewTime": now}
        return self._client.patch_status(current, {"claim": claim})

    def _lose(self, held: HeldClaim, why: str) -> None:
        _log.warning("claim_lost", object=str(held.key), job=held.job, why=why)
        self._held.drop(held)


def _is_over(request_state: RequestState) -> bool:
    return request_state.spec.state in OVER or recorded_outcome(request_state) is not None
