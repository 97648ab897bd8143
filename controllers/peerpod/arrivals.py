"""In which order PeerPods came, and when: their creation times know no parts of a second, and clocks are set."""

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod
from framework.clock import Clock
from framework.runtime import Runtime
from framework.store import Change


class _Arrival(msgspec.Struct, frozen=True):
    number: int
    # On the monotonic clock; None: it was there before.
    at: float | None


class Arrivals:
    """Of two objects the later one has the greater number; equal numbers, or none, tell nothing."""

    def __init__(self, runtime: Runtime, clock: Clock) -> None:
        self._clock = clock
        self._lock = runtime.lock()
        self._arrivals: dict[str, _Arrival] = {}
        self._last = 0
        self._was_listed = False

    def note(self, change: Change[PeerPod]) -> bool:
        """A predicate that lets everything pass: so it hears of a change before anybody acts on it."""
        with self._lock:
            for part in change.parts():
                if part.new_entry is None and part.old_entry is not None:
                    self._arrivals.pop(part.old_entry.uid, None)
                elif part.old_entry is None and part.new_entry is not None:
                    self._arrived(part.new_entry.uid, is_listed=part.is_listed)
        return True

    def number_of(self, uid: str) -> int | None:
        with self._lock:
            arrival = self._arrivals.get(uid)
        return arrival.number if arrival else None

    def seconds_since(self, uid: str) -> float | None:
        """How old it is at least, whatever was done to the clock; None if nobody saw it come."""
        with self._lock:
            arrival = self._arrivals.get(uid)
        return self._clock.monotonic() - arrival.at if arrival and arrival.at is not None else None

    def _arrived(self, uid: str, *, is_listed: bool) -> None:
        # All that one list brings came at the same time, as far as anybody can know.
        if not (is_listed and self._was_listed):
            self._last += 1
        self._was_listed = is_listed
        at = None if is_listed else self._clock.monotonic()
        self._arrivals.setdefault(uid, _Arrival(self._last, at))
