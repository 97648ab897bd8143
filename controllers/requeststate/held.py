"""The claims this worker holds: renewed while a job runs, given up when the job must end."""

import structlog

from apis.meta import Key, micro_time
from apis.requeststate.v1 import RequestState
from framework.client import Client
from framework.clock import Clock
from framework.errors import ApiError, Invalid, NotFound, WindlassError
from framework.runtime import Deadline, Event, Runtime, Task, deadline_scope

_RENEWALS_PER_DURATION = 3

_log = structlog.get_logger("windlass.claims")


class HeldClaim:
    """One claim of this worker, from the write that got it to the write that ends it; the job's stop signal too."""

    def __init__(self, request_state: RequestState, *, valid_until: float, clock: Clock, stop: Event) -> None:
        self.key = request_state.metadata.key
        self.uid = request_state.metadata.uid
        self.job = request_state.spec.job
        # The newest object that a write of ours returned.
        self.latest = request_state
        self.valid_until = valid_until
        self.failures = 0
        self.is_running = False
        # Set once the job has returned; from then on it must not run again, only be recorded.
        self.is_done = False
        self._clock = clock
        self._stop = stop

    def is_for(self, request_state: RequestState) -> bool:
        return self.uid == request_state.metadata.uid and self.job == request_state.spec.job

    def end(self) -> None:
        self._stop.set()

    def is_set(self) -> bool:
        """The job must end. Also when the claim ran out and nobody could say so, because the API server hangs."""
        return self._stop.is_set() or self._clock.monotonic() >= self.valid_until

    def wait(self, timeout: float | None = None) -> bool:
        deadline = None if timeout is None else self._clock.monotonic() + timeout
        while not self.is_set():
            now = self._clock.monotonic()
            if deadline is not None and now >= deadline:
                return False
            self._stop.wait((self.valid_until if deadline is None else min(deadline, self.valid_until)) - now)
        return True


class HeldClaims:
    def __init__(self, client: Client, worker: str, duration_seconds: float, *, clock: Clock, runtime: Runtime) -> None:
        self._client = client
        self._worker = worker
        self._duration_seconds = duration_seconds
        self._clock = clock
        self._runtime = runtime
        self._changed = runtime.condition()
        self._held: dict[Key, HeldClaim] = {}
        self._closed = False
        self._task: Task | None = None

    def start(self) -> None:
        self._task = self._runtime.spawn("claims", self._keep_renewing)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def get(self, key: Key) -> HeldClaim | None:
        return self._held.get(key)

    def all(self) -> list[HeldClaim]:
        with self._changed:
            return list(self._held.values())

    def hold(self, request_state: RequestState, acquired_at: float) -> HeldClaim:
        """Take note of a claim that the API server has confirmed; *acquired_at* is when the write was begun."""
        held = HeldClaim(
            request_state,
            valid_until=acquired_at + self._duration_seconds,
            clock=self._clock,
            stop=self._runtime.event(),
        )
        with self._changed:
            self._held[held.key] = held
            self._changed.notify_all()
        return held

    def is_valid(self, held: HeldClaim) -> bool:
        """Nobody else can have taken the request over yet."""
        return self._held.get(held.key) is held and not held.is_set()

    def drop(self, held: HeldClaim) -> None:
        """End the job and write nothing more for it."""
        held.end()
        with self._changed:
            if self._held.get(held.key) is held:
                del self._held[held.key]
            self._changed.notify_all()

    def wait_until_none_runs(self, timeout: float) -> bool:
        deadline = self._clock.monotonic() + timeout
        with self._changed:
            while any(held.is_running for held in self._held.values()):
                left = deadline - self._clock.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def finished_running(self, held: HeldClaim) -> None:
        held.is_running = False
        with self._changed:
            self._changed.notify_all()

    def _keep_renewing(self) -> None:
        pause = self._duration_seconds / _RENEWALS_PER_DURATION
        while not self._wait(pause):
            for held in self.all():
                self._renew(held)

    def _wait(self, seconds: float) -> bool:
        deadline = self._clock.monotonic() + seconds
        with self._changed:
            while not self._closed and (left := deadline - self._clock.monotonic()) > 0:
                self._changed.wait(left)
            return self._closed

    def _renew(self, held: HeldClaim) -> None:
        if held.is_set():
            self._lose(held, "could not be renewed in time")
            return
        started = self._clock.monotonic()
        try:
            # No longer than the claim lasts: the others must be renewed, too.
            with deadline_scope(Deadline(started + self._duration_seconds / 6, self._duration_seconds / 6)):
                held.latest = self._send_renewal(held)
            held.valid_until = started + self._duration_seconds
        except NotFound:
            self.drop(held)
        except Invalid:
            self._reassert(held)
        except WindlassError as error:
            _log.warning("claim_not_renewed", object=str(held.key), error=str(error))

    def _send_renewal(self, held: HeldClaim) -> RequestState:
        # Tests instead of a resourceVersion: what others write meanwhile is no reason to lose the claim.
        operations = (
            {"op": "test", "path": "/metadata/uid", "value": held.uid},
            {"op": "test", "path": "/status/claim/worker", "value": self._worker},
            {"op": "replace", "path": "/status/claim/renewTime", "value": micro_time(self._clock.now())},
        )
        return self._client.json_patch(RequestState, held.key, operations, subresource="status")

    def _reassert(self, held: HeldClaim) -> None:
        """A test failed: the claim is another's now, or somebody removed it by hand."""
        try:
            current = self._client.get(RequestState, held.key)
            if current.metadata.uid != held.uid or current.status.claim is not None:
                self._lose(held, "is another's now")
                return
            claim = held.latest.status.claim
            renewed = {"worker": self._worker, "renewTime": micro_time(self._clock.now())}
            acquired = {"acquireTime": claim.acquire_time if claim else renewed["renewTime"]}
            started = self._clock.monotonic()
            held.latest = self._client.patch_status(current, {"claim": {**renewed, **acquired}})
            held.valid_until = started + self._duration_seconds
        except NotFound:
            self.drop(held)
        except ApiError as error:
            _log.warning("claim_not_renewed", object=str(held.key), error=str(error))

    def _lose(self, held: HeldClaim, why: str) -> None:
        _log.warning("claim_lost", object=str(held.key), job=held.job, why=why)
        self.drop(held)
