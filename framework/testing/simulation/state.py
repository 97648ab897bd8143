"""The end of a run in words that do not change from run to run: no uids, no versions, no times."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource
from framework.testing.simulation.store import Commit, RecordingJournal, is_noise

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# What objects are called that are named after a uid, as far as it is customary.
_SHORT_UID = re.compile(r"(?<=-)[0-9a-f]{8}(?![0-9a-f-])")
_SHORT_LENGTH = 8
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_VOLATILE = frozenset(
    {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "deletionTimestamp"}
)


def counts_of(commits: Sequence[Commit]) -> dict[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = {}
    names: dict[tuple[GroupResource, Key], str] = {}
    uids = _uids_of_created(commits)
    for commit in commits:
        if commit.is_noise or commit.act == "update":
            continue
        place = commit.resource, commit.key
        if commit.raw is not None:
            names[place] = _plain(_name(commit.resource, commit.key, msgspec.json.decode(commit.raw)), uids)
        name = names.get(place) or f"{commit.resource}/{commit.key}"
        created, deleted = counts.get(name, (0, 0))
        counts[name] = (created + 1, deleted) if commit.act == "create" else (created, deleted + 1)
    return counts


def state_of(journal: RecordingJournal, outside: Any = None) -> dict[str, Any]:
    """Every object that was written since the start, and what is outside, as a flat mapping from path to value."""
    uids = _uids(journal)
    objects: dict[str, list[dict[str, Any]]] = {}
    for resource, key, obj in journal.written_objects():
        if not is_noise(resource):
            objects.setdefault(_plain(_name(resource, key, obj), uids), []).append(dict(_flat("", _lasting(obj), uids)))
    state: dict[str, Any] = {}
    for name, namesakes in objects.items():
        # Those whose names were made up are told apart by what is in them: their order is a matter of chance.
        for number, fields in enumerate(sorted(namesakes, key=_content) if len(namesakes) > 1 else namesakes, 1):
            place = name if number == 1 else f"{name}#{number}"
            state.update({f"{place}: {path}": value for path, value in fields.items()})
    if outside is not None:
        state.update(_flat("outside: ", outside, uids))
    return state


def _lasting(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {field: value for field, value in obj["metadata"].items() if field not in _VOLATILE}
    if "deletionTimestamp" in obj["metadata"]:
        metadata["isBeingDeleted"] = True
    return {**obj, "metadata": metadata}


def _content(fields: Mapping[str, Any]) -> str:
    """Without the name, which was made up."""
    return repr(sorted((path, repr(value)) for path, value in fields.items() if path != ".metadata.name"))


def _name(resource: GroupResource, key: Key, obj: Mapping[str, Any]) -> str:
    prefix = obj["metadata"].get("generateName")
    return f"{resource}/{key.namespace}/{f'{prefix}*' if prefix else key.name}"


def _uids(journal: RecordingJournal) -> dict[str, str]:
    """Whose each uid is; an object that is gone is another one than that of the same name which is there."""
    names = _uids_of_created(journal.commits)
    for resource, key, obj in journal.written_objects():
        names[obj["metadata"]["uid"]] = f"<{_name(resource, key, obj)}>"
    return names


def _uids_of_created(commits: Sequence[Commit]) -> dict[str, str]:
    """And the beginnings of those uids, which stand in names; there it does not matter whether the object is gone."""
    names: dict[str, str] = {}
    for commit in commits:
        if commit.act == "create" and commit.raw is not None:
            obj = msgspec.json.decode(commit.raw)
            uid, name = obj["metadata"]["uid"], _name(commit.resource, commit.key, obj)
            names |= {uid: f"<gone {name}>", uid[:_SHORT_LENGTH]: f"<uid of {name}>"}
    return names


def _flat(path: str, value: Any, uids: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        if not value:
            yield path, {}
        for field, inner in value.items():
            if field != "observedGeneration":
                yield from _flat(f"{path}.{_plain(str(field), uids)}", inner, uids)
    elif isinstance(value, list):
        yield f"{path}[]", len(value)
        for number, inner in enumerate(value):
            yield from _flat(f"{path}[{number}]", inner, uids)
    else:
        yield path, _plain(value, uids) if isinstance(value, str) else value


def _plain(text: str, uids: Mapping[str, str]) -> str:
    named = _UID.sub(lambda found: uids.get(found[0], "<unknown uid>"), text)
    return _TIME.sub("<time>", _SHORT_UID.sub(lambda found: uids.get(found[0], found[0]), named))
