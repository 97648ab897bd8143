"""The right to work as the leader, which ends by itself."""

from collections.abc import Callable

from framework.client import Fence
from framework.clock import Clock
from framework.errors import LeadershipLost
from framework.runtime import Runtime


class Term(Fence):
    """One unbroken time of leading: over for good at its end, whoever leads next, be it this process again.

    It ends at a moment on the monotonic clock unless it is extended before. So
    a process that was stopped for a while, or whose renewals hang, finds that
    its term is over before it writes anything else.
    """

    def __init__(
        self, ends_at: float, *, clock: Clock, runtime: Runtime, name: str, on_refusal: Callable[[], None]
    ) -> None:
        super().__init__(runtime)
        self._clock = clock
        # Under the lock of the base class. Invariant: never set once the term is over.
        self._ends_at = ends_at
        self._name = name
        self._on_refusal = on_refusal

    @property
    def is_requested(self) -> bool:
        """Whether the term is over."""
        if self._requested:
            return True
        if self._clock.monotonic() < self._ends_at:
            return False
        # Who was told that it is over must never hear the contrary: not even from an extension that is under way.
        with self._lock:
            if self._clock.monotonic() >= self._ends_at:
                self._requested = True
            return self._requested

    def check(self, *, is_under_way: bool = False) -> None:
        try:
            super().check(is_under_way=is_under_way)
        except LeadershipLost:
            self._on_refusal()
            raise

    @property
    def explanation(self) -> str:
        return f"{self._name}: the term in which this work began is over; it is taken up again when this process leads"

    def extend(self, ends_at: float) -> bool:
        """Let it last until *ends_at*; false when it is over already."""
        with self._lock:
            if self._requested or self._clock.monotonic() >= self._ends_at:
                self._requested = True
                return False
            self._ends_at = ends_at
            return True


class Leadership:
    """Terms, one after the other; held until the end of the last one and not one moment longer."""

    def __init__(
        self, clock: Clock, runtime: Runtime, *, name: str = "leader", on_refusal: Callable[[], None] = lambda: None
    ) -> None:
        self._clock = clock
        self._runtime = runtime
        self._name = name
        self._on_refusal = on_refusal
        # Invariant, under _lock: _held is clear, or was set together with _term.
        self._lock = runtime.lock()
        self._held = runtime.event()
        self._term: Term | None = None

    def fence(self) -> Term | None:
        """The term that every write from now on needs; None while this process does not lead."""
        term = self._term
        return None if term is None or term.is_requested else term

    def check(self) -> None:
        """Raise LeadershipLost unless this process leads, at this moment."""
        if not self.is_set():
            self._on_refusal()
            raise LeadershipLost(f"{self._name}: this process does not lead")

    def is_set(self) -> bool:
        """Whether this process leads, at this moment."""
        return self.fence() is not None

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it is held; false when *timeout* seconds passed first, or it was over already."""
        if not self._held.wait(timeout):
            return False
        if self.is_set():
            return True
        with self._lock:
            if not self.is_set():
                # Who waits again must wait, also before the end is told by whoever renews.
                self._held.clear()
        return False

    def hold_until(self, ends_at: float) -> None:
        """Extend the term, or begin another one if it is over. Called, like `end`, by one task only."""
        if self._term is not None and self._term.extend(ends_at):
            return
        self.end()
        term = Term(ends_at, clock=self._clock, runtime=self._runtime, name=self._name, on_refusal=self._on_refusal)
        with self._lock:
            self._term = term
            self._held.set()

    def end(self) -> None:
        """Lead no more, and cut off what is being written."""
        with self._lock:
            self._held.clear()
            term, self._term = self._term, None
        if term is not None:
            term.request()
