"""Remembers what was really asked of the server."""

from framework.client import Access, Observer
from framework.runtime import Runtime


class AccessRecorder(Observer):
    """Give it to `client.acting_as(name, recorder)`, then run what shall be looked at."""

    def __init__(self, runtime: Runtime) -> None:
        self._lock = runtime.lock()
        self._seen: dict[Access, int] = {}

    def sending(self, access: Access) -> None:
        with self._lock:
            self._seen[access] = self._seen.get(access, 0) + 1

    @property
    def seen(self) -> tuple[Access, ...]:
        """Each different access once, in the order of its first time."""
        with self._lock:
            return tuple(self._seen)
