"""Keeps a key from its next reconcile until the caches show what the last one did."""

from types import TracebackType

import structlog

from apis.meta import Request
from framework.clock import Clock
from framework.own_writes import Mode, Reconcile, ReconcileScope, Write

# From the first look to the next, doubled each time: an event comes within milliseconds, or is late.
FIRST_WAIT_SECONDS = 0.005
LONGEST_WAIT_SECONDS = 5.0
# Bookmarks come every minute: a cache that has not moved for so long will not tell about a write that may not exist.
UNCERTAIN_SECONDS = 150.0
_PRUNE_ABOVE = 1024

_log = structlog.get_logger("windlass.controller")


class _Held:
    """The writes of one reconcile that the caches have not shown yet."""

    __slots__ = ("since", "waits", "writes")

    def __init__(self, writes: list[Write], since: float) -> None:
        self.writes = writes
        self.since = since
        self.waits = 0


class Gate:
    """In the mode `gate` it waits for all writes, in the others for those whose answer was lost; `off` for none."""

    def __init__(self, controller: str, mode: Mode, clock: Clock) -> None:
        self._controller = controller
        self._mode = mode
        self._clock = clock
        # A key is looked at by the one worker that has it, so each of these is too.
        self._held: dict[Request, _Held] = {}
        self._prune_above = _PRUNE_ABOVE

    def seconds_to_wait(self, request: Request) -> float:
        """0.0 when *request* may be reconciled now."""
        if not self._held:
            return 0.0
        held = self._held.get(request)
        if held is None:
            return 0.0
        held.writes = [write for write in held.writes if not self._is_over(write, held)]
        if not held.writes:
            self._held.pop(request, None)
            return 0.0
        held.waits += 1
        return min(FIRST_WAIT_SECONDS * 2.0 ** (held.waits - 1), LONGEST_WAIT_SECONDS)

    def watching(self, request: Request) -> "_Watched":
        """Run the reconcile of *request* inside: how it reads, and what it writes."""
        return _Watched(self, Reconcile(self._controller, request, self._mode))

    def hold(self, reconcile: Reconcile) -> None:
        """Take note of what *reconcile*, which is over, has written."""
        if self._mode == "off" or not reconcile.writes:
            return
        writes = [write for write in reconcile.writes if self._mode == "gate" or not write.is_certain]
        if writes:
            self._held[reconcile.request] = _Held(writes, self._clock.monotonic())
            self._prune()

    def _is_over(self, write: Write, held: _Held) -> bool:
        if write.has_passed:
            return True
        if write.is_certain or self._clock.monotonic() - held.since < UNCERTAIN_SECONDS:
            return False
        _log.warning("uncertain_write_given_up", controller=self._controller, object=str(write.key))
        return True

    def _prune(self) -> None:
        """Keys that are never asked for again must not stay for ever."""
        if len(self._held) <= self._prune_above:
            return
        for request, held in list(self._held.items()):
            if all(write.is_certain and write.has_passed for write in held.writes):
                self._held.pop(request, None)
        self._prune_above = max(_PRUNE_ABOVE, 2 * len(self._held))


class _Watched(ReconcileScope):
    __slots__ = ("_gate",)

    def __init__(self, gate: Gate, reconcile: Reconcile) -> None:
        super().__init__(reconcile)
        self._gate = gate

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._gate.hold(self.reconcile)
