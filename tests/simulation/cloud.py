"""A cloud in which a controller makes machines: what the API server does not know of."""

import math
from collections import Counter
from typing import Any

import msgspec

from framework.clock import Clock

# Nothing in a cloud is there at once, or gone at once.
BOOT_SECONDS = 7.0
SHUTDOWN_SECONDS = 7.0


class Machine(msgspec.Struct):
    owner: str
    address: str
    ready_at: float
    gone_at: float = math.inf


class Cloud:
    def __init__(self) -> None:
        self._machines: list[Machine] = []

    def reset(self) -> None:
        self._machines.clear()

    def state(self) -> dict[str, Any]:
        """How many machines each owner has, or will have when those that are going are gone."""
        owners = Counter(machine.owner for machine in self._machines if machine.gone_at == math.inf)
        return {"machines": dict(owners)}

    def create(self, owner: str, address: str, clock: Clock) -> Machine:
        machine = Machine(owner, address, clock.monotonic() + BOOT_SECONDS)
        self._machines.append(machine)
        return machine

    def find(self, owner: str, clock: Clock) -> Machine | None:
        """One that is going is still to be found."""
        now = clock.monotonic()
        return next((each for each in self._machines if each.owner == owner and each.gone_at > now), None)

    def delete(self, owner: str, clock: Clock) -> bool:
        """Whether there was one that is not going already."""
        staying = [each for each in self._machines if each.owner == owner and each.gone_at == math.inf]
        for machine in staying:
            machine.gone_at = clock.monotonic() + SHUTDOWN_SECONDS
        return bool(staying)
