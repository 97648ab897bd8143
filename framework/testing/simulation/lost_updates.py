"""O3: nobody undoes what another has written since the revision that he was shown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource
from framework.testing.simulation.outcome import Violation
from framework.testing.simulation.store import Commit, Snapshot

_Place = tuple[GroupResource, Key]
# Kept by the server.
_SERVERS_OWN = frozenset({"resourceVersion", "managedFields", "generation", "creationTimestamp", "uid"})
# What tells the elements of a list apart.
_IDENTITIES = ("type", "name", "uid", "key", "id")
_BEFORE_THE_RUN = "who prepared it"


class _Writers:
    """Who has written one object since it was created, and when last."""

    def __init__(self, commit: Commit) -> None:
        self.commits = [commit]
        self._last = {commit.writer: commit.revision}

    def add(self, commit: Commit) -> None:
        self.commits.append(commit)
        self._last[commit.writer] = commit.revision

    def has_newer(self, commit: Commit) -> bool:
        """Whether somebody else has written since the revision that the writer of *commit* was shown."""
        return any(revision > commit.read for writer, revision in self._last.items() if writer != commit.writer)


def lost_updates(commits: Sequence[Commit], snapshot: Snapshot) -> Iterator[Violation]:
    """Objects are read only where there is a suspicion: it is about one write in a thousand."""
    writers: dict[_Place, _Writers] = {}
    rows = {(row.resource, row.key): row for row in snapshot.rows}
    for commit in commits:
        place = commit.resource, commit.key
        known = writers.get(place)
        if known is None and commit.act == "update" and place in rows:
            row = rows[place]
            first = Commit(row.revision, row.resource, row.key, "create", row.raw, 0.0, _BEFORE_THE_RUN)
            known = writers[place] = _Writers(first)
        if commit.act == "delete":
            writers.pop(place, None)
            rows.pop(place, None)
        elif known is None or commit.act == "create":
            writers[place] = _Writers(commit)
        else:
            if commit.is_of_process and known.has_newer(commit):
                yield from _undone(known.commits, commit)
            known.add(commit)


def _undone(before: Sequence[Commit], commit: Commit) -> Iterator[Violation]:
    changed_by: dict[str, Commit] = {}
    state: Mapping[str, Any] = {}
    for each in before:
        after = _fields_of(each)
        changed_by.update(dict.fromkeys(_differing(state, after), each))
        state = after
    for path in _differing(state, _fields_of(commit)):
        last = changed_by.get(path)
        if last is not None and last.writer != commit.writer and last.revision > commit.read:
            yield Violation(
                "O3",
                f"{commit.writer} undid {path} of {commit.resource}/{commit.key.namespace}/{commit.key.name}, which"
                f" {last.writer} had written at revision {last.revision}; it had been shown {commit.read or 'none'}",
            )


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [
        path for path in {**before, **after} if path not in before or path not in after or before[path] != after[path]
    ]


def _fields_of(commit: Commit) -> dict[str, Any]:
    obj = msgspec.json.decode(commit.raw or b"{}")
    obj["metadata"] = {field: value for field, value in obj.get("metadata", {}).items() if field not in _SERVERS_OWN}
    return dict(_fields("", obj))


def _fields(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for field, inner in value.items():
            yield from _fields(f"{path}.{field}", inner)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _fields(f"{path}[{_identity(inner, number)}]", inner)
    else:
        yield path, value


def _identity(element: Any, number: int) -> Any:
    """Elements are told apart by what they are, so that two can add theirs to the same list."""
    if not isinstance(element, dict):
        return element if not isinstance(element, list) else number
    return next((f"{field}={element[field]}" for field in _IDENTITIES if field in element), number)
