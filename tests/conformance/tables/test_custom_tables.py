"""Columns of custom resources: each JSONPath is a column of one definition, and both servers print one object."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from framework.apiserver.objects import Object
from framework.apiserver.tables import CustomTable, table_document
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.patch.real_server import RealServer

_TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_PATHS = [
    ("string", ".spec.text"),
    ("string", ".spec.missing"),
    ("string", ".spec.number"),
    ("string", ".spec.fraction"),
    ("string", ".spec.big"),
    ("string", ".spec.long"),
    ("string", ".spec.small"),
    ("string", ".spec.truth"),
    ("string", ".spec.object"),
    ("string", ".spec.list"),
    ("string", ".spec.nothing"),
    ("string", ".spec.list[0]"),
    ("string", ".spec.list[-1]"),
    ("string", ".spec.list[7]"),
    ("string", ".spec.list[*]"),
    ("string", ".spec.list[1:]"),
    ("string", ".spec.list[0:2]"),
    ("string", ".spec.list[::2]"),
    ("string", ".spec.text[0]"),
    ("string", ".spec.object.*"),
    ("string", ".spec['text','number']"),
    ("string", ".spec['text']"),
    ("string", r".metadata.annotations.example\.com/note"),
    ("string", r".metadata.annotations['example\.com/note']"),
    ("string", ".metadata.annotations['example.com/note']"),
    ("string", '.status.conditions[?(@.type=="Ready")].status'),
    ("string", ".status.conditions[?(@.type=='Ready')].reason"),
    ("string", '.status.conditions[?( @.type == "Ready" )].status'),
    ("string", '.status.conditions[?(@.type!="Ready")].status'),
    ("string", '.status.conditions[?(@.type=="Absent")].status'),
    ("string", ".status.conditions[?(@.count>1)].type"),
    ("string", ".status.conditions[?(@.count>=1.5)].type"),
    ("string", ".status.conditions[?(@.count==2)].type"),
    ("string", ".status.conditions[?(@.reason)].type"),
    ("string", ".status.conditions[?(@.good==true)].type"),
    ("string", '.spec.text[?(@.type=="Ready")].status'),
    ("string", "..reason"),
    ("integer", ".spec.number"),
    ("integer", ".spec.fraction"),
    ("integer", ".spec.text"),
    ("number", ".spec.fraction"),
    ("number", ".spec.number"),
    ("boolean", ".spec.truth"),
    ("boolean", ".spec.text"),
    ("date", ".spec.date"),
    ("date", ".spec.text"),
    ("date", ".spec.number"),
    ("date", ".spec.missing"),
]
_OBJECT = {
    "apiVersion": "example.com/v1",
    "kind": "Printed",
    "metadata": {"name": "it", "annotations": {"example.com/note": "noted"}},
    "spec": {
        "text": "some <text>",
        "number": 7,
        "fraction": 2.5,
        "big": 1e19,
        "long": 1234567.5,
        "small": 0.000012,
        "truth": True,
        "object": {"only": "member"},
        "list": ["a", "b", "c"],
        "nothing": None,
        "date": "2026-01-01T00:00:00Z",
    },
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "Fine", "count": 1, "good": False},
            {"type": "Other", "status": "False", "count": 2, "good": True},
        ]
    },
}
_COLUMNS: list[dict[str, Any]] = [
    {"name": f"C{index}", "type": kind, "jsonPath": path, "priority": index % 2}
    for index, (kind, path) in enumerate(_PATHS)
]


@pytest.fixture(scope="module")
def server(control_plane: ControlPlane) -> Iterator[RealServer]:
    connected = RealServer(control_plane)
    definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    connected.make(definitions, _definition("Printed", _COLUMNS))
    connected.make(definitions, _definition("Plain", []))
    connected.make(
        definitions, _definition("Broken", [_COLUMNS[0], {**_COLUMNS[0], "jsonPath": ".spec["}, _COLUMNS[0]])
    )
    yield connected
    for plural in ("printeds", "plains", "brokens"):
        connected.ask("DELETE", f"{definitions}/{plural}.example.com")


@pytest.fixture(scope="module")
def printed(server: RealServer) -> tuple[Object, Object]:
    """The table of the real server, and ours of the same object."""
    path = "/apis/example.com/v1/printeds"
    obj = _made(server, path, _OBJECT)
    real = server.ask("GET", f"{path}/it", headers=_TABLE).document
    return real, _table(CustomTable(_COLUMNS), [obj], obj["metadata"]["resourceVersion"])


@pytest.mark.parametrize("index", range(len(_PATHS)), ids=[f"{kind}-{path}" for kind, path in _PATHS])
def test_cell_is_that_of_the_real_server(printed: tuple[Object, Object], index: int) -> None:
    real, ours = printed

    # As JSON, since 1 and True are the same in Python.
    assert json.dumps(ours["rows"][0]["cells"][index + 1]) == json.dumps(real["rows"][0]["cells"][index + 1])


def test_columns_are_those_of_the_real_server(printed: tuple[Object, Object]) -> None:
    real, ours = printed

    assert ours["columnDefinitions"][1:] == real["columnDefinitions"][1:]


def test_default_columns_are_name_and_age(server: RealServer) -> None:
    path = "/apis/example.com/v1/plains"
    obj = _made(server, path, {**_OBJECT, "kind": "Plain"})
    real = server.ask("GET", path, headers=_TABLE).document

    ours = _table(CustomTable(), [obj], real["metadata"]["resourceVersion"])

    assert _without_descriptions(ours) == _without_descriptions(real)
    assert len(ours["rows"][0]["cells"]) == len(real["rows"][0]["cells"])


def test_columns_after_a_broken_path_are_not_shown(server: RealServer) -> None:
    path = "/apis/example.com/v1/brokens"
    _made(server, path, {**_OBJECT, "kind": "Broken"})
    real = server.ask("GET", path, headers=_TABLE).document

    ours = CustomTable([_COLUMNS[0], {**_COLUMNS[0], "jsonPath": ".spec["}, _COLUMNS[0]])

    assert [column.name for column in ours.columns] == [column["name"] for column in real["columnDefinitions"]]


def _definition(kind: str, columns: list[dict[str, Any]]) -> Object:
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "additionalPrinterColumns": columns,
    }
    return {
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"plural": plural, "kind": kind},
            "versions": [version],
        },
    }


def _made(server: RealServer, path: str, manifest: Object) -> Object:
    # The definition is served a moment after it was made.
    created: Object = eventually(
        lambda: server.ask("POST", path, manifest), lambda answer: answer.status == 201
    ).document
    return created


def _table(printer: CustomTable, objects: list[Object], version: str) -> Object:
    return table_document(printer, objects, now=SystemClock().now().timestamp(), list_meta={"resourceVersion": version})


def _without_descriptions(table: Object) -> list[Object]:
    return [{**column, "description": ""} for column in table["columnDefinitions"]]
