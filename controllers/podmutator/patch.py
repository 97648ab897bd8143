"""The operations that make a pod a peer pod; each names one field, and none the pod."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from controllers.podmutator.resources import LIMITS, REQUESTS, Container, mapping_in

Operation = dict[str, Any]


def annotating(pod: Mapping[str, Any], annotations: Mapping[str, str]) -> list[Operation]:
    """Those that are there already stay: the user's own, or ours of the sizes before a LimitRange filled them in."""
    metadata = mapping_in(pod, "metadata", "metadata") or {}
    present = mapping_in(metadata, "annotations", "metadata.annotations") or {}
    missing = {name: value for name, value in annotations.items() if name not in present}
    if not missing:
        return []
    if not metadata:
        return [_add("/metadata", {"annotations": missing})]
    if not present:
        return [_add("/metadata/annotations", missing)]
    return [_add(f"/metadata/annotations/{_escaped(name)}", value) for name, value in missing.items()]


def emptying(spec: Mapping[str, Any], containers: Sequence[Container]) -> list[Operation]:
    operations = [operation for each in containers for operation in _emptied(each)]
    if "resources" in spec:
        operations.append(_remove("/spec/resources"))
    return operations


def asking_for(resource: str, container: Container) -> list[Operation]:
    """One of *resource* and nothing else."""
    one = {resource: "1"}
    place, resources = f"{container.pointer}/resources", container.resources
    if resources is None:
        return [_add(place, {REQUESTS: one, LIMITS: one})]
    return [_add(f"{place}/{name}", one) for name in (REQUESTS, LIMITS) if resources.get(name) != one]


def _emptied(container: Container) -> Iterator[Operation]:
    # What else is there, such as claims, stays.
    for name in (REQUESTS, LIMITS):
        if name in (container.resources or {}):
            yield _remove(f"{container.pointer}/resources/{name}")


def _add(path: str, value: Any) -> Operation:
    return {"op": "add", "path": path, "value": value}


def _remove(path: str) -> Operation:
    return {"op": "remove", "path": path}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
