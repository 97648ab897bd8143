"""How much of a cluster an Instance needs."""

import math
from typing import Self

import msgspec

from apis.laf.bundle import BundleSpec
from apis.laf.cluster import Capacity
from apis.laf.instance import Granted, Reserved
from apis.laf.runtime import RuntimeSpec
from apis.meta import IntOrString
from apis.meta.quantity import parse_quantity, spelled

_NANO = 10**9
_SIDECAR_CPU, _SIDECAR_MEMORY = _NANO // 100, 16 * 2**20 * _NANO


def nanos(quantity: IntOrString | None) -> int:
    return 0 if quantity is None else parse_quantity(str(quantity)).nanos


class Need(msgspec.Struct, frozen=True):
    """In billionths of a core and of a byte, so that sums are exact."""

    cpu: int = 0
    memory: int = 0

    @classmethod
    def of_reserved(cls, reserved: Reserved | None) -> Self:
        return cls() if reserved is None else cls(nanos(reserved.cpu), nanos(reserved.memory))

    def __add__(self, other: "Need") -> "Need":
        return Need(self.cpu + other.cpu, self.memory + other.memory)

    def at_least(self, other: "Need") -> "Need":
        return Need(max(self.cpu, other.cpu), max(self.memory, other.memory))

    def is_within(self, other: "Need") -> bool:
        return self.cpu <= other.cpu and self.memory <= other.memory

    def to_reserved(self) -> Reserved:
        return Reserved(cpu=spelled(self.cpu), memory=spelled(self.memory, "Mi"))


def grant_of(replica: int, bundle: BundleSpec, runtime: RuntimeSpec) -> Granted:
    """What is wanted, in the spelling that records have."""
    return Granted(
        replica=replica,
        request_cpu=_canonical(bundle.request_cpu),
        request_memory=_canonical(bundle.request_memory),
        limit_cpu=_canonical(bundle.limit_cpu),
        limit_memory=_canonical(bundle.limit_memory),
        sidecar=bool(runtime.image.sidecar),
    )


def need_of(granted: Granted) -> Need:
    cpu = nanos(granted.request_cpu) + (_SIDECAR_CPU if granted.sidecar else 0)
    memory = nanos(granted.request_memory) + (_SIDECAR_MEMORY if granted.sidecar else 0)
    return Need(granted.replica * cpu, granted.replica * memory)


class Limits(msgspec.Struct, frozen=True):
    """Of a cluster; infinite where there is none."""

    cpu: float = math.inf
    memory: float = math.inf
    instances: float = math.inf

    @classmethod
    def of(cls, capacity: Capacity | None) -> Self:
        if capacity is None:
            return cls()
        return cls(nanos(capacity.cpu) or math.inf, nanos(capacity.memory) or math.inf, capacity.instances or math.inf)


def _canonical(quantity: IntOrString) -> str:
    return parse_quantity(str(quantity)).spelling
