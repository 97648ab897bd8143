"""Requests to list again, which end whatever a reflector does at that moment."""

from framework.client import Cancellation
from framework.runtime import Runtime


class Refreshes:
    """Several requests before a list begins are one; those that come later need another list."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._lock = runtime.lock()
        self._wake = runtime.event()
        # Counted, so that it is known which ones a list was for. Invariant: made <= begun <= asked.
        self._asked = self._begun = self._made = 0
        # For the watches until the next list that a refresh asks for.
        self.cancellation = Cancellation(runtime)

    @property
    def are_done(self) -> bool:
        return self._made == self._asked

    def ask(self) -> None:
        with self._lock:
            self._asked += 1
        self.interrupt()

    def interrupt(self) -> None:
        """End a watch and a pause."""
        with self._lock:
            cancellation = self.cancellation
        self.wake()
        cancellation.request()

    def begin(self) -> bool:
        """A list begins; whether it is for a refresh, and so must bring the newest state there is."""
        with self._lock:
            self._begun = self._asked
            if self.are_done:
                return False
            self.cancellation = Cancellation(self._runtime)
        return True

    def complete(self) -> None:
        """The list that was begun last is in the cache."""
        self._made = self._begun

    def wake(self) -> None:
        """End a pause, or the next one if none is under way."""
        self._wake.set()

    def forget_wake(self) -> None:
        self._wake.clear()

    def pause(self, seconds: float) -> None:
        self._wake.wait(seconds)
