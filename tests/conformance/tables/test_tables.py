"""What the real server prints of an object, and what ours prints of the same one."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from framework.apiserver.objects import Object
from framework.apiserver.tables import builtin_table, table_document
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from tests.conformance.patch.real_server import RealServer
from tests.conformance.tables.manifests import ALL, CLUSTER, NAMESPACED, Manifest

_TABLE = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_SECONDS = re.compile(r"(?:\d+m)?\d+s")
_NAMES = ("name", "type", "format", "priority")


@pytest.fixture(scope="module")
def server(control_plane: ControlPlane) -> Iterator[RealServer]:
    connected = RealServer(control_plane)
    connected.make("/api/v1/namespaces", {"metadata": {"name": "tables"}})
    account = {"metadata": {"name": "default"}}
    connected.ask("POST", "/api/v1/namespaces/tables/serviceaccounts", account)
    yield connected
    for manifest in CLUSTER:
        connected.ask("DELETE", _path_of(manifest))
    connected.ask("DELETE", "/api/v1/namespaces/tables")


@pytest.mark.parametrize(
    "manifest", ALL, ids=[f"{group}-{kind}-{body['metadata']['name']}" for group, _, _, kind, _, body in ALL]
)
def test_built_in_kinds_have_the_columns_and_cells_of_the_real_server(server: RealServer, manifest: Manifest) -> None:
    path = _make(server, manifest)

    real, obj = _table_and_object(server, path)
    # An annotation that exists only in the version that is served; tables are made of the internal one.
    if manifest[3] == "DaemonSet":
        obj["metadata"].pop("annotations")
    ours = _printed(builtin_table(manifest[0], manifest[3]), obj)

    assert _comparable(ours) == _comparable(real)


@pytest.mark.parametrize(
    ("group", "kind", "path"),
    [
        ("", "Namespace", "/api/v1/namespaces/default"),
        ("apiextensions.k8s.io", "CustomResourceDefinition", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
        ("rbac.authorization.k8s.io", "ClusterRole", "/apis/rbac.authorization.k8s.io/v1/clusterroles"),
        ("", "Service", "/api/v1/namespaces/kube-public/services"),
        ("rbac.authorization.k8s.io", "Role", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"),
    ],
)
def test_what_is_there_from_the_start_is_printed_alike(server: RealServer, group: str, kind: str, path: str) -> None:
    real, obj = _table_and_object(server, path)

    ours = _printed(builtin_table(group, kind), obj)

    assert _comparable(ours) == _comparable(real)


@pytest.mark.parametrize("include", ["None", "Object", "Metadata"])
def test_rows_hold_as_much_of_the_object_as_was_asked_for(server: RealServer, include: Any) -> None:
    path = "/api/v1/namespaces/default"
    real = server.ask("GET", f"{path}?includeObject={include}", headers=_TABLE).document
    obj = server.ask("GET", path).document

    ours = _printed(builtin_table("", "Namespace"), obj, include)

    assert ours["rows"][0]["object"] == real["rows"][0]["object"]
    assert ours["metadata"] == real["metadata"]


def _make(server: RealServer, manifest: Manifest) -> str:
    group, version, _, kind, status, body = manifest
    path = _path_of(manifest)
    server.make(path.rpartition("/")[0], {"kind": kind, "apiVersion": f"{group}/{version}".strip("/"), **body})
    if status is not None:
        patch = {"Content-Type": "application/merge-patch+json"}
        answer = server.ask("PATCH", f"{path}/status", {"status": status}, headers=patch)
        assert answer.status == 200, answer.document
    return path


def _path_of(manifest: Manifest) -> str:
    group, version, plural, _, _, body = manifest
    prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
    namespace = "/namespaces/tables" if manifest in NAMESPACED else ""
    return f"{prefix}{namespace}/{plural}/{body['metadata']['name']}"


def _table_and_object(server: RealServer, path: str) -> tuple[Object, Object]:
    """Both of the same version: controllers may write in between."""
    for _ in range(20):
        obj = server.ask("GET", path).document
        table = server.ask("GET", path, headers=_TABLE).document
        if table["metadata"]["resourceVersion"] == obj["metadata"]["resourceVersion"]:
            return table, obj
    raise AssertionError("the object changes all the time")


def _printed(printer: Any, obj: Object, include: Any = "Metadata") -> Object:
    objects = obj.get("items", [obj])
    meta = {"resourceVersion": obj["metadata"]["resourceVersion"]}
    return table_document(printer, objects, now=SystemClock().now().timestamp(), list_meta=meta, include_object=include)


def _comparable(table: Object) -> Object:
    # Ages in seconds differ by what the comparison takes.
    columns = [{name: column[name] for name in _NAMES} for column in table["columnDefinitions"]]
    rows = [
        {**row, "cells": [_SECONDS.sub("age", cell) if isinstance(cell, str) else cell for cell in row["cells"]]}
        for row in table["rows"] or []
    ]
    return {**table, "columnDefinitions": columns, "rows": rows}
