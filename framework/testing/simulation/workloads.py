"""Workloads that nobody has written: what the user of a scenario makes is made, changed and removed in any order."""

import random  # noqa: TID251 - seeded
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

import msgspec

from framework.testing.simulation.acts import WAIT, Act, merged
from framework.testing.simulation.schema_edits import merge_patch, random_edit

_FEWEST, _MOST = 3, 8
_HALF = 0.5
# So many objects of one sample live at a time.
_TWINS = ("", "-twin")


class Samples:
    """What there is to draw from: the acts of the scenario's own user, and the schemas of its definitions."""

    def __init__(
        self, acts: Sequence[Act], definitions: Sequence[Mapping[str, Any]], fixed: Sequence[str] = ()
    ) -> None:
        self.creates = {act.path: act for act in acts if act.do == "create"}
        self._edits = [act for act in acts if act.do == "edit" and act.path in self.creates]
        self._schemas = schemas_of(definitions)
        self._fixed = fixed

    def edit(self, sample: Act, path: str, spec: Any, choose: random.Random) -> Act | None:
        """One of the user's own, or one of a field that the schema declares; None: nothing can be edited."""
        own = [msgspec.structs.replace(act, path=path) for act in self._edits if act.path == sample.path]
        schema = self._schemas.get(_group_and_plural(path))
        drawn = random_edit(schema, spec, choose) if schema is not None and spec is not None else None
        if drawn is not None and not self._is_fixed(drawn.path) and (not own or _is_heads(choose)):
            return Act("edit", path, {"spec": merge_patch(spec, drawn.spec)})
        return choose.choice(own) if own else None

    def _is_fixed(self, path: str) -> bool:
        return any(fnmatch(path, pattern) for pattern in self._fixed)


def random_workload(samples: Samples, choose: random.Random) -> tuple[Act, ...]:
    """Three to eight acts, half of them on what the controllers are still busy with; the end is always a change."""
    acts: list[Act] = []
    # By path: the sample, and the spec as the user has left it.
    alive: dict[str, tuple[Act, Any]] = {}
    for _ in range(choose.randint(_FEWEST, _MOST)):
        act = _next(samples, alive, choose)
        if act is not None:
            acts.append(act)
            if _is_heads(choose):
                acts.append(WAIT)
    while acts and acts[-1] == WAIT:
        acts.pop()
    return tuple(acts)


def schemas_of(definitions: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Of `spec`, by group and plural."""
    return {_collection(definition): _spec_schema(definition) for definition in definitions}


def is_patient(acts: Sequence[Act]) -> bool:
    """Whether all is quiet around whatever is made and removed, so that it is known how often that happens."""
    waits = [True, *(act.do == "wait" for act in acts), True]
    return all(act.do in {"edit", "wait"} or (waits[number] and waits[number + 2]) for number, act in enumerate(acts))


def _is_heads(choose: random.Random) -> bool:
    return choose.random() < _HALF


def _next(samples: Samples, alive: dict[str, tuple[Act, Any]], choose: random.Random) -> Act | None:
    free = [
        (sample, f"{path}{twin}")
        for path, sample in samples.creates.items()
        for twin in _TWINS
        if f"{path}{twin}" not in alive
    ]
    doing = choose.choice([*(["create"] if free else []), *(["edit", "edit", "delete"] if alive else [])])
    if doing == "create":
        sample, path = choose.choice(free)
        body = _named(sample.body or {}, path.rpartition("/")[2])
        alive[path] = sample, body.get("spec")
        return Act("create", path, body)
    path = choose.choice(sorted(alive))
    sample, spec = alive[path]
    if doing == "delete":
        del alive[path]
        return Act("delete", path)
    edit = samples.edit(sample, path, spec, choose)
    if edit is not None and edit.body is not None and "spec" in edit.body:
        alive[path] = sample, merged(spec, edit.body["spec"])
    return edit


def _named(body: dict[str, Any], name: str) -> dict[str, Any]:
    metadata = {field: value for field, value in body.get("metadata", {}).items() if field != "generateName"}
    return {**body, "metadata": {**metadata, "name": name}}


def _collection(definition: Mapping[str, Any]) -> tuple[str, str]:
    spec = definition["spec"]
    return spec["group"], spec["names"]["plural"]


def _group_and_plural(path: str) -> tuple[str, str]:
    parts = path.split("/")
    return (parts[2] if parts[1] == "apis" else "", parts[-2])


def _spec_schema(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    version = next(each for each in definition["spec"]["versions"] if each["storage"])
    schema: Mapping[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema.get("properties", {}).get("spec", {})  # type: ignore[no-any-return]
