"""The writes of a worker, in the order that makes a crash between any two of them harmless.

Guarantees: the history entry and the claim go into `status` first, then the
state into `spec`; every write is conditional on what was read; a claim that is
lost raises ClaimLost before anything is sent.
Not guaranteed: that a write whose answer was lost did not happen; the next try
looks at the server's own copy.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import structlog

from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.claims import HANDED_BACK, new_claim
from controllers.requeststate.held import HeldClaim, HeldClaims
from controllers.requeststate.history import OVER, recorded_state, with_entry
from controllers.requeststate.stalled import without_unknown_job
from controllers.requeststate.written import WrittenVersions
from framework.client import Client
from framework.clock import Clock
from framework.errors import Conflict, NotFound, WindlassError

_ATTEMPTS = 5

_log = structlog.get_logger("windlass.worker")

Write = Callable[[RequestState], RequestState]
Test = Callable[[RequestState], bool]


class ClaimLost(WindlassError):
    """The request is gone or another's, and with it the right to write."""


class Transitions:
    def __init__(
        self, client: Client, worker: str, held: HeldClaims, written: WrittenVersions, *, clock: Clock
    ) -> None:
        self._client = client
        self._worker = worker
        self._held = held
        self._written = written
        self._clock = clock

    def claim(self, request_state: RequestState) -> HeldClaim:
        """Get the claim and, unless it is there already, the STARTED entry; Conflict when another was faster."""
        now, begun = self._clock.now(), self._clock.monotonic()
        status: dict[str, Any] = {"claim": msgspec.to_builtins(new_claim(self._worker, now))}
        if request_state.spec.state is State.REQUESTED and recorded_state(request_state) is None:
            status |= self._entry(request_state, State.STARTED, "")
        status |= without_unknown_job(request_state, now)
        return self._held.hold(self._patch_status(request_state, status), begun)

    def start(self, held: HeldClaim) -> None:
        with held.writing:
            self._move_spec(held, State.STARTED, unless=lambda latest: latest.spec.state is not State.REQUESTED)

    def finish(self, held: HeldClaim, outcome: State) -> None:
        with held.writing:
            self._record(held, outcome)
            held.is_off = True
            self._move_spec(held, outcome, unless=lambda latest: latest.spec.state in OVER)

    def finish_spec(self, request_state: RequestState, outcome: State) -> None:
        """What is left to do for a worker that died after it had recorded *outcome*."""
        self._patch_spec(request_state, outcome)

    def hand_back(self, held: HeldClaim) -> None:
        """Let any other worker take the request at once, unless it is lost or gone already."""
        operations = (
            {"op": "test", "path": "/metadata/uid", "value": held.uid},
            {"op": "test", "path": "/status/claim/worker", "value": self._worker},
            {"op": "replace", "path": "/status/claim/renewTime", "value": HANDED_BACK},
        )
        with held.writing:
            if not self._held.is_valid(held):
                return
            held.is_off = True
            try:
                self._client.json_patch(RequestState, held.key, operations, subresource="status")
            except WindlassError as error:
                # It expires by itself.
                _log.info("claim_not_handed_back", object=str(held.key), error=str(error))

    def release(self, request_state: RequestState) -> None:
        """Take the claim off a request whose job is over."""
        self._patch_status(request_state, {"claim": None})

    def _record(self, held: HeldClaim, outcome: State) -> None:
        def send(latest: RequestState) -> RequestState:
            return self._patch_status(latest, {"claim": None, **self._entry(latest, outcome, held.message)})

        self._write(held, send, unless=lambda latest: recorded_state(latest) is outcome)

    def _move_spec(self, held: HeldClaim, state: State, *, unless: Test) -> None:
        self._write(held, lambda latest: self._patch_spec(latest, state), unless=unless)

    def _write(self, held: HeldClaim, send: Write, *, unless: Test) -> None:
        for _ in range(_ATTEMPTS):
            if not self._held.is_valid(held):
                raise ClaimLost(f"the claim on {held.key} is lost")
            if unless(held.latest):
                return
            try:
                held.latest = send(held.latest)
            except Conflict:
                held.latest = self._current(held)
            except NotFound:
                raise ClaimLost(f"{held.key} is gone") from None
            else:
                return
        raise WindlassError(f"{held.key} changes faster than it can be written")

    def _current(self, held: HeldClaim) -> RequestState:
        """The server's own copy, as long as it is ours to write."""
        try:
            current = self._client.get(RequestState, held.key)
        except NotFound:
            raise ClaimLost(f"{held.key} is gone") from None
        claim = current.status.claim
        if not held.is_for(current) or (claim is not None and claim.worker != self._worker):
            raise ClaimLost(f"{held.key} is another's now")
        return current

    def _entry(self, request_state: RequestState, state: State, message: str) -> dict[str, Any]:
        history = with_entry(
            request_state.status.history,
            request_state.spec.job,
            state,
            now=self._clock.now(),
            worker=self._worker,
            message=message,
        )
        return {"history": msgspec.to_builtins(history)}

    def _patch_status(self, request_state: RequestState, status: dict[str, Any]) -> RequestState:
        whole = {**status, "observedGeneration": request_state.metadata.generation}
        return self._written.note(self._client.patch_status(request_state, whole))

    def _patch_spec(self, request_state: RequestState, state: State) -> RequestState:
        return self._written.note(self._client.patch_spec(request_state, {"state": str(state)}))
