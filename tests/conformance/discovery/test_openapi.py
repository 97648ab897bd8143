"""What the OpenAPI documents say of the resources that both servers have."""

from typing import Any

import msgspec
import pytest

from tests.conformance.api import Api
from tests.conformance.discovery.served import ServedDocuments

DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
WATCH_EVENT = "io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"
KINDS = "x-kubernetes-group-version-kind"
REQUESTSTATES = "apis/com.redhat.ecosystem.sample/v1"
PATHS = [REQUESTSTATES, "api/v1", "apis/apps/v1", "apis/rbac.authorization.k8s.io/v1", "apis/apiextensions.k8s.io/v1"]
# Of deletions of collections the real server forgets the body if the resource is a custom one.
WRITES = ("post", "put", "patch")


def documents(served: ServedDocuments, real: Api, path: str) -> tuple[Any, Any]:
    mine = served.openapi.v3(path)
    assert mine is not None
    return msgspec.json.decode(mine.body), real.get(f"/openapi/v3/{path}").document


@pytest.mark.parametrize("path", PATHS)
def test_schemas_are_equal(served: ServedDocuments, real: Api, path: str) -> None:
    mine, theirs = documents(served, real, path)

    for name, schema in mine["components"]["schemas"].items():
        expected = theirs["components"]["schemas"][name]
        if name in (DELETE_OPTIONS, WATCH_EVENT):
            # The real server lists these once for each of its groups.
            schema.pop(KINDS)
            expected.pop(KINDS)
        assert schema == expected, name


def test_no_schema_of_a_custom_resource_is_missing(served: ServedDocuments, real: Api) -> None:
    mine, theirs = documents(served, real, REQUESTSTATES)

    assert set(mine["components"]["schemas"]) == set(theirs["components"]["schemas"])
    assert mine["info"] == theirs["info"]


@pytest.mark.parametrize("path", PATHS)
def test_requests_are_equal_in_all_that_clients_read(served: ServedDocuments, real: Api, path: str) -> None:
    mine, theirs = documents(served, real, path)

    for target, item in mine["paths"].items():
        expected = theirs["paths"][target]
        for method in item.keys() - {"parameters"}:
            assert _essence(item[method]) == _essence(expected[method]), (target, method)
            if method in WRITES:
                assert _parameters(item, method) == _parameters(expected, method), (target, method)


def test_schemas_in_version_two_are_equal(served: ServedDocuments, real: Api) -> None:
    mine = msgspec.json.decode(served.openapi.v2.body)["definitions"]
    theirs = real.get("/openapi/v2").document["definitions"]

    for name, schema in mine.items():
        if name not in (DELETE_OPTIONS, WATCH_EVENT):
            assert schema == theirs[name], name


def _essence(operation: Any) -> Any:
    return {name: operation[name] for name in ("tags", "operationId", "x-kubernetes-action", KINDS)}


def _parameters(item: Any, method: str) -> set[tuple[str, str]]:
    both = (*item.get("parameters", ()), *item[method].get("parameters", ()))
    return {(one["name"], one["in"]) for one in both}
