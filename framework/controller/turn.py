"""Whether a controller may work now."""

from typing import Protocol


class Turn(Protocol):
    def is_set(self) -> bool:
        """Whether it may, at this moment."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it may; false when *timeout* seconds passed first."""
