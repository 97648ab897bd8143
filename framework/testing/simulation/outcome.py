"""What a run has led to."""

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.testing.simulation.plan import Plan
from framework.testing.simulation.trace import Step


class Violation(msgspec.Struct, frozen=True):
    """An oracle has spoken."""

    oracle: str
    message: str

    def __str__(self) -> str:
        return f"{self.oracle}: {self.message}"


class Outcome(msgspec.Struct, frozen=True):
    plan: Plan
    steps: list[Step]
    # By path, such as `deployments.apps/default/web: spec.replicas`.
    state: Mapping[str, Any]
    # By object: how often it was created and deleted.
    counts: Mapping[str, tuple[int, int]]
    # At the end, of all processes.
    open_watches: tuple[str, ...]
    # What was wrong in itself, without comparing it with another run.
    violations: tuple[Violation, ...]
    log: list[dict[str, Any]]

    @property
    def trace(self) -> str:
        return "\n".join(map(str, self.steps))
