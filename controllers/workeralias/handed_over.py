"""Fields of a canonical object that builds, WorkerVersions and uploads write too: whoever wrote last has them.

They are given to the canonical object once for each value that the alias gets, and the object remembers which value
that was: until the alias says something else, what others make of them stays. So nobody writes against anybody.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Path = tuple[str, ...]
HANDED_OVER: Mapping[str, Sequence[Path]] = {
    # Written by a JobBuilder.
    "WorkerBundle": (("workers",), ("podTemplate", "image")),
    # Written by a WorkerVersion and by uploads.
    "WorkerDeployment": (("template",), ("activeRelease",)),
}


def mark_of(spec: Mapping[str, Any], paths: Sequence[Path]) -> str:
    """The same for the same values at *paths*."""
    values = [_at(spec, path) for path in paths]
    return hashlib.sha256(msgspec.json.encode(values, order="deterministic")).hexdigest()[:10]


def with_values_of(spec: Mapping[str, Any], other: Mapping[str, Any], paths: Sequence[Path]) -> dict[str, Any]:
    """*spec* with what *other* has at *paths*."""
    made = dict(spec)
    for path in paths:
        made = _with(made, path, _at(other, path))
    return made


def _at(spec: Any, path: Path) -> Any:
    for name in path:
        spec = spec.get(name) if isinstance(spec, dict) else None
    return spec


def _with(spec: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    name, *rest = path
    if rest:
        value = _with(spec.get(name, {}), tuple(rest), value)
    others = {key: each for key, each in spec.items() if key != name}
    # None stands for what is absent; no field of these kinds can be null.
    return others if value is None else {**others, name: value}
