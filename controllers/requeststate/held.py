"""The claims this worker holds, each from the write that got it to the write that ends it."""

from apis.meta import Key
from apis.requeststate.v1 import RequestState, State
from framework.clock import Clock
from framework.runtime import Runtime

_RENEWALS_PER_DURATION = 3


class HeldClaim:
    """One claim of this worker, with all that is known of its job; the job's stop signal, too.

    Every write under a claim is made while holding `writing`, so that the
    renewal never crosses the write that ends the claim.
    """

    def __init__(
        self, request_state: RequestState, *, valid_until: float, renew_at: float, clock: Clock, runtime: Runtime
    ) -> None:
        self.key = request_state.metadata.key
        self.uid = request_state.metadata.uid
        self.job = request_state.spec.job
        self.writing = runtime.lock()
        # The newest object that a write of ours, or a look at the server, returned. Changed under `writing` only.
        self.latest = request_state
        self.valid_until = valid_until
        # When the next renewal is due; the renewal's own field.
        self.renew_at = renew_at
        # Set by the write that takes the claim off; nothing is left to renew then.
        self.is_off = False
        self.failures = 0
        # Set once the job has ended; from then on it must not run again, only be recorded.
        self.outcome: State | None = None
        self.message = ""
        # A reconcile, or the end of the process, is dealing with it right now.
        self.is_busy = False
        self._clock = clock
        self._stop = runtime.event()

    def is_for(self, request_state: RequestState) -> bool:
        return self.uid == request_state.metadata.uid and self.job == request_state.spec.job

    @property
    def is_expired(self) -> bool:
        """Others may have taken the request over."""
        return self._clock.monotonic() >= self.valid_until

    def end(self) -> None:
        self._stop.set()

    def is_set(self) -> bool:
        """The job must end. Also when the claim ran out and nobody could say so, because the API server hangs."""
        return self._stop.is_set() or self.is_expired

    def wait(self, timeout: float | None = None) -> bool:
        deadline = None if timeout is None else self._clock.monotonic() + timeout
        while not self.is_set():
            now = self._clock.monotonic()
            if deadline is not None and now >= deadline:
                return False
            # A renewal moves valid_until on meanwhile; then the loop waits for the rest.
            self._stop.wait((self.valid_until if deadline is None else min(deadline, self.valid_until)) - now)
        return True


class HeldClaims:
    def __init__(self, duration_seconds: float, *, clock: Clock, runtime: Runtime) -> None:
        self.duration_seconds = duration_seconds
        self.renewal_seconds = duration_seconds / _RENEWALS_PER_DURATION
        self._clock = clock
        self._runtime = runtime
        self._changed = runtime.condition()
        self._held: dict[Key, HeldClaim] = {}

    def get(self, key: Key) -> HeldClaim | None:
        return self._held.get(key)

    def all(self) -> list[HeldClaim]:
        with self._changed:
            return list(self._held.values())

    def hold(self, request_state: RequestState, acquired_at: float) -> HeldClaim:
        """Take note of a claim that the API server has confirmed; *acquired_at* is when the write was begun."""
        held = HeldClaim(
            request_state,
            valid_until=acquired_at + self.duration_seconds,
            renew_at=acquired_at + self.renewal_seconds,
            clock=self._clock,
            runtime=self._runtime,
        )
        with self._changed:
            self._held[held.key] = held
        return held

    def is_valid(self, held: HeldClaim) -> bool:
        """Nobody else can have taken the request over yet."""
        return self._held.get(held.key) is held and not held.is_expired

    def begin(self, held: HeldClaim) -> bool:
        """Deal with *held* until `pause`; false when it is no longer held, or somebody deals with it already."""
        with self._changed:
            if held.is_busy or self._held.get(held.key) is not held:
                return False
            held.is_busy = True
            return True

    def pause(self, held: HeldClaim) -> None:
        with self._changed:
            held.is_busy = False
            self._changed.notify_all()

    def drop(self, held: HeldClaim) -> None:
        """End the job and write nothing more for it."""
        held.end()
        with self._changed:
            if self._held.get(held.key) is held:
                del self._held[held.key]
            self._changed.notify_all()

    def wait_until_none_is_busy(self, timeout: float) -> bool:
        deadline = self._clock.monotonic() + timeout
        with self._changed:
            while any(held.is_busy for held in self._held.values()):
                left = deadline - self._clock.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True
