"""Adopting what an owner selects and nobody controls, and letting go what it does not select any more."""

from typing import Any

from framework.apiserver.controllers.kinds import BuiltinKind
from framework.apiserver.controllers.loopback import key_of
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.workloads.children import Children
from framework.apiserver.objects import Object
from framework.apiserver.selectors import label_selector_from_object


def controller_reference(owner: Object) -> dict[str, Any]:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def claim(tools: ControllerTools, owner: Object, kind: BuiltinKind, children: Children) -> list[Object]:
    """The objects of *kind* that *owner* controls from now on."""
    selector = label_selector_from_object(owner["spec"]["selector"])
    claimed = []
    for child in children.of(owner):
        if "deletionTimestamp" in child["metadata"] or selector.matches(_labels(child)):
            claimed.append(child)
        elif "deletionTimestamp" not in owner["metadata"]:
            _patch(tools, kind, child, [one for one in _owners(child) if one["uid"] != owner["metadata"]["uid"]])
    if "deletionTimestamp" in owner["metadata"]:
        return claimed
    orphans = children.orphans(owner["metadata"]["namespace"])
    found = [one for one in orphans if "deletionTimestamp" not in one["metadata"] and selector.matches(_labels(one))]
    claimed.extend(_patch(tools, kind, one, [*_owners(one), controller_reference(owner)]) for one in found)
    return claimed


def _labels(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("labels") or {}


def _owners(obj: Object) -> list[Any]:
    return obj["metadata"].get("ownerReferences") or []


def _patch(tools: ControllerTools, kind: BuiltinKind, obj: Object, owners: list[Any]) -> Object:
    seen = {name: obj["metadata"][name] for name in ("uid", "resourceVersion")}
    return tools.loopback.merge_patch(kind, key_of(obj), {"metadata": {**seen, "ownerReferences": owners or None}})
