"""Repeats something at an interval until it is stopped."""

from collections.abc import Callable

from framework.runtime import Runtime


class Resync:
    def __init__(self, resync: Callable[[], None], seconds: float, *, runtime: Runtime, name: str) -> None:
        self._resync = resync
        self._seconds = seconds
        self._runtime = runtime
        self._name = name
        self._stopped = runtime.event()

    def start(self) -> None:
        self._runtime.spawn(f"resync-{self._name}", self._run)

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            self._resync()
