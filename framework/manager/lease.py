"""A Lease as a candidate has seen it, and for how long it has seen it like that."""

import math
from typing import Any

from apis.meta import Unstructured
from framework.clock import Clock

# What client-go writes when it gives a lease up: whoever looks takes it at once.
RELEASED_SECONDS = 1


class ObservedLease:
    """Judged on the own monotonic clock only: the times in a Lease come from the clocks of others."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._spec: dict[str, Any] = {}
        self._since = -math.inf
        self._annotations: dict[str, str] = {}
        # Empty: unknown, so that the next write must read first.
        self.version = ""

    def observe(self, lease: Unstructured) -> None:
        spec = lease.content.get("spec") or {}
        if spec != self._spec:
            self._spec, self._since = spec, self._clock.monotonic()
        self._annotations = lease.metadata.annotations
        self.version = lease.metadata.resource_version

    def annotation(self, name: str) -> str:
        return self._annotations.get(name, "")

    @property
    def holder(self) -> str:
        return str(self._spec.get("holderIdentity") or "")

    @property
    def transitions(self) -> int:
        return int(self._spec.get("leaseTransitions") or 0)

    @property
    def is_released(self) -> bool:
        """Nobody holds it. A holder that was wiped out by hand, which leaves its duration, may still lead."""
        return not self.holder and int(self._spec.get("leaseDurationSeconds") or 0) <= RELEASED_SECONDS

    def is_expired(self, default_seconds: float) -> bool:
        """It has not changed for as long as it says it is good for."""
        return self.expires_in_seconds(default_seconds) < 0

    def expires_in_seconds(self, default_seconds: float) -> float:
        """Negative when it has expired."""
        duration = float(self._spec.get("leaseDurationSeconds") or default_seconds)
        return duration - (self._clock.monotonic() - self._since)
