"""The contract between a controller and its author."""

from typing import Protocol

from apis.meta import Request
from framework.reconcile.result import Result


class Reconciler(Protocol):
    def reconcile(self, request: Request) -> Result:
        """Bring the object that *request* names one step closer to what it should be.

        May die after any write and be called again. An exception means: again,
        with growing delay; TerminalError means: not before something changes.
        """
