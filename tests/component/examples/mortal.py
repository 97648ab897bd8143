"""Processes that die before a chosen line of a controller, and do nothing more from then on."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from apis.meta import Request
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.controller import Controller, ControllerOptions, Source
from framework.errors import WindlassError
from framework.manager import Manager
from framework.reconcile import Reconciler, Result
from framework.testing.control_plane.waiting import wait_until

_LIMIT_SECONDS = 20.0
# What a reconciler calls that has several steps of its own.
_FRAMEWORK = Path(__file__).parents[3] / "framework"
_STEPS = ("apply/children.py", "finalizers/finalizer.py", "finalizers/with_finalizer.py")


class Died(WindlassError):
    """The end of a process; of this class because those are logged in one line."""


class Lines:
    """Notes the lines of *source*, and of helpers it calls; ends the process before the one with number *last*."""

    def __init__(self, source: Path, last: int | None = None) -> None:
        self._sources = {str(source), *(str(_FRAMEWORK / step) for step in _STEPS)}
        self._last = last
        self.run: list[tuple[str, int]] = []
        self.is_dead = False

    def trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if frame.f_code.co_filename not in self._sources:
            return None
        if event == "line":
            if self.is_dead or len(self.run) == self._last:
                self.is_dead = True
                raise Died
            self.run.append((frame.f_code.co_filename, frame.f_lineno))
        return self.trace


class _Mortal:
    def __init__(self, reconciler: Reconciler, lines: Lines) -> None:
        self._reconciler = reconciler
        self._lines = lines

    def reconcile(self, request: Request) -> Result:
        if self._lines.is_dead:
            raise Died
        sys.settrace(self._lines.trace)
        try:
            return self._reconciler.reconcile(request)
        finally:
            sys.settrace(None)


class _MortalManager(Manager):
    def __init__(self, server: ApiServer, lines: Lines) -> None:
        super().__init__(in_process_client(server))
        self._lines = lines

    def add_controller(
        self, name: str, reconciler: Reconciler, sources: Sequence[Source], options: ControllerOptions | None = None
    ) -> Controller:
        # One worker: then there is one order of lines.
        return super().add_controller(
            name, _Mortal(reconciler, self._lines), sources, options or ControllerOptions(max_concurrent_reconciles=1)
        )


class Life:
    """A controller whose first process dies before line *last*; the second one lives."""

    def __init__(
        self, server: ApiServer, register: Callable[[Manager], None], source: Path, last: int | None = None
    ) -> None:
        self._server = server
        self._register = register
        self._lines = Lines(source, last)
        self._second = Lines(source)
        self._manager = self._start(self._lines)

    def until(self, is_reached: Callable[[], bool]) -> None:
        """Wait for it, in the next process if this one dies."""
        assert wait_until(lambda: is_reached() or self._has_died(), limit_seconds=_LIMIT_SECONDS)
        if self._has_died():
            self._manager.stop()
            self._lines = self._second
            self._manager = self._start(self._lines)
            assert wait_until(is_reached, limit_seconds=_LIMIT_SECONDS)

    def end(self) -> list[int]:
        """Where each line that the last process has run came for the first and for the last time."""
        self._manager.stop()
        run = self._lines.run
        last = {line: number for number, line in enumerate(run)}
        first = {line: number for number, line in reversed(list(enumerate(run)))}
        return sorted({*first.values(), *last.values()})

    def _has_died(self) -> bool:
        return self._lines.is_dead

    def _start(self, lines: Lines) -> Manager:
        manager = _MortalManager(self._server, lines)
        self._register(manager)
        manager.start()
        return manager
