"""The resources of a pod in plain JSON, read without a word about anything else in it."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from apis.meta.quantity import parse_quantity

REQUESTS, LIMITS = "requests", "limits"
CPU, MEMORY, GPU = "cpu", "memory", "nvidia.com/gpu"
_MOST_NANOS = (2**63 - 1) * 10**9


class UnusableField(Exception):
    """One field of the pod is not what it must be; *field* is its path."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


class Amounts(NamedTuple):
    """In billionths, by the name of the resource."""

    requests: Mapping[str, int]
    limits: Mapping[str, int]


_NOTHING: Mapping[str, int] = {}
_NO_AMOUNTS = Amounts(_NOTHING, _NOTHING)


class Container(NamedTuple):
    # Where it is in the pod, as JSON pointer.
    pointer: str
    resources: Mapping[str, Any] | None
    amounts: Amounts
    is_init: bool
    is_sidecar: bool


class _Wrong(Exception):
    """As UnusableField; *rest* is the end of a path that only the caller knows, and that is seldom needed."""

    def __init__(self, rest: str, problem: str) -> None:
        super().__init__(problem)
        self.rest = rest


def containers_of(spec: Mapping[str, Any]) -> list[Container]:
    """Containers first; raises UnusableField."""
    return [*_listed(spec, "containers", is_init=False), *_listed(spec, "initContainers", is_init=True)]


def pod_level_amounts(spec: Mapping[str, Any]) -> Amounts:
    resources = mapping_in(spec, "resources", "spec.resources")
    try:
        return _amounts(resources)
    except _Wrong as wrong:
        raise UnusableField(f"spec.resources{wrong.rest}", str(wrong)) from None


def _listed(spec: Mapping[str, Any], name: str, *, is_init: bool) -> Iterator[Container]:
    found = spec.get(name) or []
    if not isinstance(found, list):
        raise UnusableField(f"spec.{name}", "is not a list")
    for index, container in enumerate(found):
        if not isinstance(container, dict):
            raise UnusableField(f"spec.{name}[{index}]", "is not an object")
        resources = container.get("resources")
        try:
            amounts = _amounts(resources)
        except _Wrong as wrong:
            raise UnusableField(f"spec.{name}[{index}].resources{wrong.rest}", str(wrong)) from None
        is_sidecar = is_init and container.get("restartPolicy") == "Always"
        yield Container(f"/spec/{name}/{index}", resources, amounts, is_init, is_sidecar)


def _amounts(resources: Any) -> Amounts:
    if resources is None:
        return _NO_AMOUNTS
    if not isinstance(resources, dict):
        raise _Wrong("", "is not an object")
    return Amounts(_quantities(resources, REQUESTS), _quantities(resources, LIMITS))


def _quantities(resources: Mapping[str, Any], name: str) -> Mapping[str, int]:
    given = resources.get(name)
    if given is None:
        return _NOTHING
    if not isinstance(given, dict):
        raise _Wrong(f".{name}", "is not an object")
    try:
        return {resource: _nanos_of[type(value)](value) for resource, value in given.items()}
    except (KeyError, ValueError):
        resource, problem = _first_problem(given)
        raise _Wrong(f".{name}[{resource}]", problem) from None


def _first_problem(given: Mapping[str, Any]) -> tuple[str, str]:
    for resource, value in given.items():
        try:
            _nanos_of[type(value)](value)
        except KeyError:
            return resource, "is not a quantity"
        except ValueError as error:
            return resource, str(error)
    raise AssertionError("unreachable")


@lru_cache(maxsize=1024)
def _nanos(text: str) -> int:
    nanos = parse_quantity(text).nanos
    if nanos < 0:
        # The API server would say so, but it does not get to see what is taken out here.
        raise ValueError("must be greater than or equal to 0")
    if nanos > _MOST_NANOS:
        raise ValueError("is larger than any machine")
    return nanos


def _nanos_of_number(number: float) -> int:
    return _nanos(str(number))


# By the type of what is given; nothing else is a quantity, above all no bool.
_nanos_of: Mapping[type, Callable[[Any], int]] = {str: _nanos, int: _nanos_of_number, float: _nanos_of_number}


def mapping_in(parent: Mapping[str, Any], name: str, place: str) -> dict[str, Any] | None:
    """None if it is not there; raises UnusableField if it is anything else."""
    found = parent.get(name)
    if found is not None and not isinstance(found, dict):
        raise UnusableField(place, "is not an object")
    return found
