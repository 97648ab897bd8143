"""What every built-in controller works with."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from framework.apiserver.controllers.loopback import Loopback
from framework.apiserver.registry import Registry
from framework.apiserver.rest.context import timestamp
from framework.apiserver.storage import Storage
from framework.clock import Clock


class ControllerTools(msgspec.Struct, frozen=True):
    """Controllers read from *storage*, where nothing is stale, and write through *loopback*."""

    storage: Storage
    registry: Registry
    loopback: Loopback
    clock: Clock

    def now(self) -> str:
        return timestamp(self.clock.now())


class BuiltinController(Protocol):
    def step(self) -> float | None:
        """Do what is due now; return in how many seconds something will be due without a change, if anything."""


ControllerMaker = Callable[[ControllerTools], BuiltinController]
