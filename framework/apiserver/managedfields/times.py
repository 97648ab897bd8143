"""The times of entries, where a write turns out to have changed nothing."""

from typing import Any

from framework.apiserver.managedfields.entries import Entry, entries_of
from framework.apiserver.managedfields.values import are_equal
from framework.apiserver.objects import Object


def keep_times_if_unchanged(new: Object, live: Object) -> None:
    """Give the entries of *new* the times of those of *live* if the objects differ in nothing else.

    For the end of a write, when defaults are filled in: then what only named defaults changes no version.
    """
    entries, old_entries = entries_of(new), entries_of(live)
    if not entries or not old_entries or len(entries) != len(old_entries):
        return
    if all(entry.get("time") == old.get("time") for entry, old in zip(entries, old_entries, strict=True)):
        return
    if not all(map(_are_equal_but_for_time, entries, old_entries)):
        return
    if are_equal(_rest(new), _rest(live)):
        new["metadata"]["managedFields"] = list(old_entries)


def _are_equal_but_for_time(entry: Entry, old: Entry) -> bool:
    return {**entry, "time": None} == {**old, "time": None}


def _rest(obj: Object) -> dict[str, Any]:
    return {**obj, "metadata": {**obj["metadata"], "managedFields": None}}
