"""Runs the built-in controllers: to the end when asked, or in a task of its own."""

from collections.abc import Sequence

from framework.apiserver.controllers.tools import BuiltinController
from framework.apiserver.storage import Storage
from framework.bugs import report_bug
from framework.errors import WindlassError
from framework.runtime import Runtime, Task

# More rounds than any chain of owners is long; a loop between controllers is a bug that must be seen.
_MOST_ROUNDS = 1000
_RETRY_SECONDS = 1.0
_IDLE_SECONDS = 60.0


class Controllers:
    """Either call `settle`, or `start` and `stop`; never both at a time."""

    def __init__(self, controllers: Sequence[BuiltinController], *, storage: Storage, runtime: Runtime) -> None:
        self._controllers = tuple(controllers)
        self._storage = storage
        self._stopping = runtime.event()
        self._runtime = runtime
        self._task: Task | None = None

    def settle(self) -> float | None:
        """Let every controller work until none has anything to do; in how many seconds one will, if any."""
        for _ in range(_MOST_ROUNDS):
            before = self._storage.revision
            waits = [wait for controller in self._controllers if (wait := controller.step()) is not None]
            if self._storage.revision == before:
                return min(waits, default=None)
        raise WindlassError(f"the built-in controllers did not settle in {_MOST_ROUNDS} rounds")

    def start(self) -> None:
        self._stopping.clear()
        self._task = self._runtime.spawn("apiserver-controllers", self._run)

    def stop(self) -> None:
        self._stopping.set()
        with self._storage.lock:
            self._storage.lock.notify_all()
        if self._task is not None:
            self._task.join()
            self._task = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            seen = self._storage.revision
            wait = _IDLE_SECONDS
            for controller in self._controllers:
                wait = min(wait, self._step(controller))
                if self._stopping.is_set():
                    return
            self._storage.wait_change(seen, wait, self._stopping.is_set)

    def _step(self, controller: BuiltinController) -> float:
        try:
            wait = controller.step()
        except Exception as error:  # noqa: BLE001 - see below
            # One that fails, by a bug or by a full disk, must not keep the others from their work.
            report_bug("controller_failed", error, controller=type(controller).__name__)
            return _RETRY_SECONDS
        return _IDLE_SECONDS if wait is None else wait
