"""Would a server-side apply change anything? Judged from the object and its managed fields, without a schema.

An apply changes nothing exactly if every desired field has its value already
and the fields that our manager owns are the desired ones: none to take, none
to give up. Which lists are maps, sets or atoms is not guessed: the server
wrote it into the managed fields when we applied, so desired object, live
object and managed fields are walked together.

Where this cannot decide it says that there is a difference. That costs one
apply, which the server swallows without a new version or an event; a change
that is taken for none would never be made.
"""

from collections.abc import Mapping
from typing import Any

from framework.apply.list_element import element_of
from framework.apply.sameness import is_same

# Nobody owns these, so the values alone are compared.
_UNOWNED = frozenset(
    {"name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "selfLink", "generateName"}
)
_OWNED_ITSELF = "."

Fields = Mapping[str, Any]


def first_difference(desired: Mapping[str, Any], live: Mapping[str, Any], manager: str) -> str | None:
    """The path of a field that an apply of *desired* by *manager* might change; None only if it changes nothing."""
    entry = applied_entry(live, manager)
    if entry is None or entry.get("apiVersion") != desired.get("apiVersion"):
        return f"metadata.managedFields[{manager}]"
    metadata, live_metadata = desired.get("metadata", {}), live.get("metadata", {})
    for name in sorted(_UNOWNED & metadata.keys()):
        if not is_same(metadata[name], live_metadata.get(name)):
            return f"metadata.{name}"
    return _map_difference("", _owned_part(desired), live, entry.get("fieldsV1", {}))


def applied_entry(live: Mapping[str, Any], manager: str) -> Mapping[str, Any] | None:
    """What *manager* owns of *live* by applies of the object itself."""
    for entry in live.get("metadata", {}).get("managedFields", ()):
        # What is written to a subresource is owned apart from it.
        if entry.get("manager") == manager and entry.get("operation") == "Apply" and not entry.get("subresource"):
            return dict(entry)
    return None


def _owned_part(desired: Mapping[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in desired.items() if name not in {"apiVersion", "kind", "metadata"}}
    metadata = {name: value for name, value in desired.get("metadata", {}).items() if name not in _UNOWNED}
    return {**content, "metadata": metadata} if metadata else content


def _difference(path: str, desired: Any, live: Any, fields: Fields) -> str | None:
    parts = {name: part for name, part in fields.items() if name != _OWNED_ITSELF}
    if not parts:
        # A scalar, or a map or list that is owned as a whole.
        return None if is_same(desired, live) else path
    kinds = {name[:2] for name in parts}
    if kinds == {"f:"} and isinstance(desired, dict) and isinstance(live, dict):
        return _map_difference(path, desired, live, parts)
    if kinds <= {"k:", "v:"} and isinstance(desired, list) and isinstance(live, list):
        return _list_difference(path, desired, live, parts)
    return path


def _map_difference(path: str, desired: Mapping[str, Any], live: Mapping[str, Any], parts: Fields) -> str | None:
    owned = {name[2:]: part for name, part in parts.items()}
    for name in sorted(owned.keys() ^ desired.keys()):
        return f"{path}.{name}".lstrip(".")
    for name, part in owned.items():
        place = f"{path}.{name}".lstrip(".")
        if name not in live:
            # What we own and is not there was applied empty, and the server keeps no empty ones of this kind: who
            # removes a field takes it from its owners.
            if desired[name] in ({}, []):
                continue
            return place
        if difference := _difference(place, desired[name], live[name], part):
            return difference
    return None


def _list_difference(path: str, desired: list[Any], live: list[Any], parts: Fields) -> str | None:
    elements = [element_of(name, part) for name, part in parts.items()]
    if len(elements) != len(desired):
        return path
    position = -1
    for item in desired:
        # Ambiguous when an item leaves out a part of its key that the server fills in, e.g. a protocol.
        fitting = [element for element in elements if element.fits(item)]
        if len(fitting) != 1:
            return path
        element = fitting[0]
        elements.remove(element)
        place = f"{path}[{element.text}]"
        found = [index for index, each in enumerate(live) if element.is_identity_of(each)]
        # The order of our items is ours too: an apply moves them.
        if len(found) != 1 or found[0] <= position:
            return place
        position = found[0]
        if difference := _difference(place, item, live[position], element.fields):
            return difference
    return None
