"""How large the VM of a pod must be."""

from collections.abc import Iterable, Mapping, Sequence

from controllers.podmutator.options import Aggregation
from controllers.podmutator.resources import CPU, GPU, MEMORY, Amounts, Container

_PREFIX = "io.katacontainers.config.hypervisor."
VCPUS, MEMORY_MIB, GPUS = f"{_PREFIX}default_vcpus", f"{_PREFIX}default_memory", f"{_PREFIX}default_gpus"
_NANO = 10**9
_MEBIBYTE = 2**20


def size_annotations(
    containers: Sequence[Container], pod_level: Amounts, aggregation: Aggregation
) -> Mapping[str, str]:
    """The annotations that tell the runtime; nothing for a resource that nobody asks for."""
    together = _sum if aggregation == "sum" else _at_any_one_time
    requests = together([(each, each.amounts.requests) for each in containers])
    limits = together([(each, each.amounts.limits) for each in containers])
    for resource in {*pod_level.requests, *pod_level.limits}:
        requests[resource], limits[resource] = pod_level.requests.get(resource, 0), pod_level.limits.get(resource, 0)
    cpu, memory = (max(requests.get(each, 0), limits.get(each, 0)) for each in (CPU, MEMORY))
    # Whole CPUs of the sum, not the sum of whole CPUs; and a GPU is asked for by a limit alone, too.
    gpus = requests.get(GPU, 0) or limits.get(GPU, 0)
    amounts = {VCPUS: (cpu, _NANO), MEMORY_MIB: (memory, _NANO * _MEBIBYTE), GPUS: (gpus, _NANO)}
    return {name: str(-(-nanos // unit)) for name, (nanos, unit) in amounts.items() if nanos}


def _sum(amounts: Iterable[tuple[Container, Mapping[str, int]]]) -> dict[str, int]:
    """Of all containers, by the name of the resource, in billionths."""
    total: dict[str, int] = {}
    for _, each in amounts:
        _add(total, each)
    return total


def _at_any_one_time(amounts: Iterable[tuple[Container, Mapping[str, int]]]) -> dict[str, int]:
    """As the scheduler reckons: init containers run one after the other, each beside the sidecars before it."""
    running: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    most: dict[str, int] = {}
    for container, each in amounts:
        if container.is_sidecar:
            _add(sidecars, each)
        elif container.is_init:
            for resource, nanos in each.items():
                most[resource] = max(most.get(resource, 0), nanos + sidecars.get(resource, 0))
        else:
            _add(running, each)
    _add(running, sidecars)
    return {resource: max(running.get(resource, 0), most.get(resource, 0)) for resource in {*running, *most}}


def _add(total: dict[str, int], amounts: Mapping[str, int]) -> None:
    for resource, nanos in amounts.items():
        total[resource] = total.get(resource, 0) + nanos
