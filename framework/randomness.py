"""The Random seam: jitter and choices draw from it, so that a seed repeats a run."""

import random  # noqa: TID251 - this is the seam
from typing import Protocol


class Random(Protocol):
    def random(self) -> float:
        """A float in [0, 1)."""

    def uniform(self, a: float, b: float) -> float:
        """A float between *a* and *b*."""

    def getrandbits(self, k: int, /) -> int:
        """*k* random bits."""


def system_random() -> Random:
    return random.Random()  # noqa: S311 - jitter, no secret is drawn from it
