"""Whether a controller may work now."""

from typing import Protocol

from framework.client import Fence


class Turn(Protocol):
    def wait(self, timeout: float | None = None) -> bool:
        """Block until it may; false when *timeout* seconds passed first."""

    def fence(self) -> Fence | None:
        """What every write of a reconcile that begins now must respect; None when none may begin."""
