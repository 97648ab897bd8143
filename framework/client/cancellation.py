"""Ending an exchange from outside."""

from collections.abc import Callable

from framework.runtime import Runtime


class Cancellation:
    """Ends an exchange from another task, at once and for good."""

    def __init__(self, runtime: Runtime) -> None:
        self._lock = runtime.lock()
        # Invariant: empty once requested.
        self._closers: list[Callable[[], None]] = []
        self._requested = False

    @property
    def is_requested(self) -> bool:
        return self._requested

    def request(self) -> None:
        with self._lock:
            self._requested = True
            closers, self._closers = self._closers, []
        for close in closers:
            close()

    def on_request(self, close: Callable[[], None]) -> None:
        """Have *close* called when the cancellation comes; at once if it has come already."""
        with self._lock:
            if not self._requested:
                self._closers.append(close)
                return
        close()

    def forget(self, close: Callable[[], None]) -> bool:
        """Whether *close* has not been called and never will be; otherwise it may still be running."""
        with self._lock:
            if close not in self._closers:
                return False
            self._closers.remove(close)
            return True
