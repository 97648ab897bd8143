"""How long a failed item waits before it is tried again.

Guarantees: delays are finite and never negative, whatever the number of failures.
Not guaranteed: safety between threads. A limiter belongs to one queue, which calls it under its own lock.
"""

import math
from collections.abc import Hashable
from typing import Protocol

from framework.clock import Clock


class RateLimiter(Protocol):
    def when(self, item: Hashable) -> float:
        """Count one more failure of *item* and return the seconds it must wait."""

    def forget(self, item: Hashable) -> None:
        """Count from zero again: *item* succeeded, or is given up."""

    def num_requeues(self, item: Hashable) -> int:
        """How many failures of *item* are counted."""


class ExponentialPerItem:
    """Doubles an item's delay with each failure in a row."""

    def __init__(self, base_seconds: float = 0.005, max_seconds: float = 1000.0) -> None:
        if not 0 < base_seconds <= max_seconds < math.inf:
            raise ValueError(f"an exponential delay needs 0 < base <= max, not base={base_seconds}, max={max_seconds}")
        self._base_seconds = base_seconds
        self._max_seconds = max_seconds
        # From here on the delay is the maximum; a larger exponent would overflow in the end.
        self._enough_doublings = math.ceil(math.log2(max_seconds / base_seconds))
        self._failures: dict[Hashable, int] = {}

    def when(self, item: Hashable) -> float:
        failures = self._failures.get(item, 0)
        self._failures[item] = failures + 1
        if failures >= self._enough_doublings:
            return self._max_seconds
        return math.ldexp(self._base_seconds, failures)

    def forget(self, item: Hashable) -> None:
        self._failures.pop(item, None)

    def num_requeues(self, item: Hashable) -> int:
        return self._failures.get(item, 0)


class TokenBucket:
    """Lets *rate* items a second through, after *burst* at once; the same for all items."""

    def __init__(self, rate: float = 10.0, burst: int = 100, *, clock: Clock) -> None:
        if not (0 < rate < math.inf and burst > 0):
            raise ValueError(f"a token bucket needs rate > 0 and burst > 0, not rate={rate}, burst={burst}")
        self._rate = rate
        self._burst = burst
        self._clock = clock
        # Below zero: tokens that are promised to items still waiting for them.
        self._tokens = float(burst)
        self._filled_at = clock.monotonic()

    def when(self, item: Hashable) -> float:  # noqa: ARG002 - the bucket is the same for all items
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate) - 1
        self._filled_at = now
        return max(0.0, -self._tokens / self._rate)

    def forget(self, item: Hashable) -> None:
        """Do nothing: a token once promised stays promised."""

    def num_requeues(self, item: Hashable) -> int:  # noqa: ARG002 - it counts no failures
        return 0


class MaxOf:
    """The longest delay that any of *limiters* asks for; all of them count."""

    def __init__(self, *limiters: RateLimiter) -> None:
        if not limiters:
            raise ValueError("MaxOf needs at least one rate limiter")
        self._limiters = limiters

    def when(self, item: Hashable) -> float:
        return max(limiter.when(item) for limiter in self._limiters)

    def forget(self, item: Hashable) -> None:
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: Hashable) -> int:
        return max(limiter.num_requeues(item) for limiter in self._limiters)


def default_rate_limiter() -> RateLimiter:
    """Per item only: with priorities, a bucket for all would make urgent items pay for the retries of others."""
    return ExponentialPerItem()
