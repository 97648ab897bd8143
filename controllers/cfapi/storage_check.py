"""Whether the bucket answers, for the readiness probe; asked again only after a while."""

from controllers.scriptstorage.errors import StorageError
from controllers.scriptstorage.objects import ScriptObjects
from framework.clock import Clock
from framework.runtime import Runtime

_REMEMBERED_SECONDS = 5.0


class StorageCheck:
    """Probes come often, and from anybody: the bucket is asked by one of them at a time, and not each time."""

    def __init__(self, objects: ScriptObjects, clock: Clock, runtime: Runtime) -> None:
        self._objects = objects
        self._clock = clock
        self._lock = runtime.lock()
        self._problem: str | None = None
        self._asked_at: float | None = None

    def problem(self) -> str | None:
        with self._lock:
            now = self._clock.monotonic()
            if self._asked_at is None or now - self._asked_at >= _REMEMBERED_SECONDS:
                self._problem = self._ask()
                self._asked_at = self._clock.monotonic()
            return self._problem

    def _ask(self) -> str | None:
        try:
            self._objects.check()
        except StorageError as error:
            return str(error)
        return None
