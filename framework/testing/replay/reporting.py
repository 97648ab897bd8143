"""A Manager that tells what is wrong with its reconcilers."""

from collections.abc import Callable, Sequence
from typing import Any

from apis.meta import Request
from framework.controller import Controller, ControllerOptions, Source
from framework.errors import WindlassError
from framework.manager import Manager
from framework.reconcile import Reconciler, Result
from framework.runtime import Runtime

# Oracle and message.
Report = Callable[[str, str], None]


class ReportingManager(Manager):
    def __init__(self, *arguments: Any, report: Report, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._report_violation = report

    def add_controller(
        self, name: str, reconciler: Reconciler, sources: Sequence[Source], options: ControllerOptions | None = None
    ) -> Controller:
        reporting = ReportingReconciler(name, reconciler, self._report_violation, self.runtime)
        return super().add_controller(name, reporting, sources, options)


class ReportingReconciler:
    def __init__(self, name: str, inner: Reconciler, report: Report, runtime: Runtime) -> None:
        self._name = name
        self._inner = inner
        self._report = report
        self._lock = runtime.lock()
        self._working: set[Request] = set()

    def reconcile(self, request: Request) -> Result:
        self._begin(request)
        try:
            return self._inner.reconcile(request)
        except WindlassError:
            raise
        except Exception as error:
            self._report("O8", f"{self._name} raised {type(error).__name__} for {request}: {error}")
            raise
        finally:
            with self._lock:
                self._working.discard(request)

    def _begin(self, request: Request) -> None:
        with self._lock:
            is_taken = request in self._working
            self._working.add(request)
        if is_taken:
            self._report("O5", f"two workers of {self._name} reconcile {request} at the same time")
