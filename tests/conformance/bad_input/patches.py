"""Patches that cannot be applied."""

from typing import Any

from tests.conformance.api import APPLY, JSON_PATCH, STRATEGIC
from tests.conformance.bad_input.case import CONFIG_MAP, WIDGET, Case, patch, put
from tests.conformance.kinds import config_map

_OPERATIONS: dict[str, Any] = {
    "an unknown operation": [{"op": "odd", "path": "/data"}],
    "no operation": [{"path": "/data"}],
    "no path": [{"op": "add", "value": 1}],
    "a number for a path": [{"op": "add", "path": 5}],
    "a path to nowhere": [{"op": "remove", "path": "/nothing/here"}],
    "the root gone": [{"op": "remove", "path": ""}],
    "the root a number": [{"op": "replace", "path": "", "value": 5}],
    "the root a number and then a test": [
        {"op": "replace", "path": "", "value": 5},
        {"op": "test", "path": "/a/b", "value": 1},
    ],
    "an index in an object": [{"op": "add", "path": "/data/-", "value": "x"}],
    "a huge index": [{"op": "add", "path": f"/metadata/finalizers/{'9' * 30}", "value": "x"}],
    "a list in a list": [[]],
    "an object": {"op": "add"},
    "metadata gone": [{"op": "remove", "path": "/metadata"}],
    "the name gone": [{"op": "remove", "path": "/metadata/name"}],
    "another name": [{"op": "replace", "path": "/metadata/name", "value": "other"}],
    "metadata into itself": [{"op": "copy", "from": "/metadata", "path": "/metadata/labels"}],
}


def patches() -> dict[str, Case]:
    cases: dict[str, Case] = {}
    for label, body in _OPERATIONS.items():
        cases[f"json-patch with {label}"] = patch(f"{CONFIG_MAP}?dryRun=All", body, JSON_PATCH)
        own = label == "metadata into itself"
        name = f"json-patch of a widget with {label}"
        cases[name] = patch(f"{WIDGET}?dryRun=All", body, JSON_PATCH, has_own_words=own)
    cases["json-patch of 10001 operations"] = patch(CONFIG_MAP, [{"op": "test", "path": "/x"}] * 10_001, JSON_PATCH)
    cases["apply without a manager"] = patch(CONFIG_MAP, config_map("there"), APPLY)
    for label, body in {
        "no kind": b"apiVersion: v1",
        "no apiVersion": b"kind: ConfigMap",
        "another kind": b"apiVersion: v1\nkind: Pod",
        "another name": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}",
        "another namespace": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there, namespace: other}",
        "tabs": b"\tapiVersion: v1",
        "an unknown anchor": b"a: *b",
        "an anchor in itself": b"a: &a [*a]",
        "managed fields": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there, managedFields: [{}]}",
        "two documents": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there}\n---\na: b",
        "infinity": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there}\ndata: {a: .inf}",
        "binary": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there}\ndata: {a: !!binary YQ==}",
        "a python object": b"a: !!python/object/apply:os.system [id]",
        "laughs": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(97, 105)),
    }.items():
        own = label in {"a python object", "an anchor in itself"}
        cases[f"apply with {label}"] = patch(f"{CONFIG_MAP}?dryRun=All&fieldManager=x", body, APPLY, has_own_words=own)
    cases["strategic with an unknown directive"] = patch(CONFIG_MAP, {"data": {"$patch": "odd"}}, STRATEGIC)
    cases["scale of nothing"] = put(f"{WIDGET}/scale", {})
    cases["scale by a word"] = put(
        f"{WIDGET}/scale", {"metadata": {"name": "there"}, "spec": {"replicas": "x"}}, has_own_words=True
    )
    cases["scale below nothing"] = put(f"{WIDGET}/scale", {"metadata": {"name": "there"}, "spec": {"replicas": -1}})
    cases["scale of a list"] = put(f"{WIDGET}/scale", [], has_own_words=True)
    return cases
