"""How much of what it asks for a pod is sure to get."""

from collections.abc import Iterator

from apis.meta.quantity import parse_quantity
from framework.apiserver.objects import Object

_COMPUTE = ("cpu", "memory")


def quality_of_service(spec: Object) -> str:
    """Guaranteed, Burstable or BestEffort, by the processor and memory that its containers ask for."""
    resources = [*_resources_of(spec)]
    if not any(_asked(one, kind, name) for one in resources for kind in ("requests", "limits") for name in _COMPUTE):
        return "BestEffort"
    is_guaranteed = all(
        (limit := _asked(one, "limits", name)) and _asked(one, "requests", name) in {0, limit}
        for one in resources
        for name in _COMPUTE
    )
    return "Guaranteed" if is_guaranteed else "Burstable"


def _resources_of(spec: Object) -> Iterator[Object]:
    if "resources" in spec:
        yield spec["resources"]
        return
    for container in (*(spec.get("containers") or ()), *spec.get("initContainers", ())):
        yield container.get("resources", {})


def _asked(resources: Object, kind: str, name: str) -> int:
    return parse_quantity(resources.get(kind, {}).get(name, "0")).nanos
