"""What discovery says of the resources that both servers have."""

from typing import Any

import msgspec

from framework.http.exchange import ServerRequest
from tests.conformance.api import Api
from tests.conformance.discovery.served import ServedDocuments

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def decoded(served: ServedDocuments, path: str, accept: str = "application/json") -> Any:
    return msgspec.json.decode(served.answer(ServerRequest("GET", path, {"accept": accept})).body)


def test_resource_lists_are_equal(served: ServedDocuments, real: Api) -> None:
    for group, version in served.discovery.group_versions():
        path = f"/apis/{group}/{version}" if group else f"/api/{version}"
        mine, theirs = decoded(served, path), real.get(path).document
        names = {resource["name"] for resource in mine["resources"]}
        theirs["resources"] = [resource for resource in theirs["resources"] if resource["name"] in names]

        assert _comparable(mine) == _comparable(theirs)


def test_groups_are_equal(served: ServedDocuments, real: Api) -> None:
    mine, theirs = decoded(served, "/apis"), real.get("/apis").document
    names = {group["name"] for group in mine["groups"]}
    theirs["groups"] = [group for group in theirs["groups"] if group["name"] in names]

    assert mine == theirs
    for name in names:
        assert decoded(served, f"/apis/{name}") == real.get(f"/apis/{name}").document


def test_aggregated_discovery_is_equal(served: ServedDocuments, real: Api) -> None:
    for path in ("/api", "/apis"):
        mine, theirs = decoded(served, path, AGGREGATED), real.get(path, accept=AGGREGATED).document

        assert mine == _only_resources_of(mine, theirs)


def test_aggregated_discovery_has_the_headers_of_the_real_server(served: ServedDocuments, real: Api) -> None:
    mine = served.answer(ServerRequest("GET", "/apis", {"accept": AGGREGATED}))
    theirs = real.get("/apis", accept=AGGREGATED)

    for name in ("Content-Type", "Cache-Control", "Vary"):
        assert mine.headers[name] == theirs.headers[name.lower()]
    unchanged = real.get("/apis", accept=AGGREGATED, headers={"If-None-Match": theirs.headers["etag"]})
    assert (unchanged.status, unchanged.body) == (304, b"")


def test_the_version_document_has_the_fields_of_the_real_server(served: ServedDocuments, real: Api) -> None:
    mine, theirs = decoded(served, "/version"), real.get("/version").document

    assert list(mine) == list(theirs)
    assert (mine["major"], mine["minor"]) == (theirs["major"], theirs["minor"])
    assert mine["gitVersion"].partition("+")[0] == theirs["gitVersion"]


def _comparable(resource_list: Any) -> Any:
    for resource in resource_list["resources"]:
        if resource["kind"] == "CustomResourceDefinition":
            # The real server still tells the hash of v1beta1, in which it stored them once.
            resource.pop("storageVersionHash", None)
    return resource_list


def _only_resources_of(mine: Any, theirs: Any) -> Any:
    known = {
        (group["metadata"].get("name"), version["version"], resource["resource"])
        for group in mine["items"]
        for version in group["versions"]
        for resource in version["resources"]
    }
    for group in theirs["items"]:
        for version in group["versions"]:
            name = (group["metadata"].get("name"), version["version"])
            version["resources"] = [one for one in version["resources"] if (*name, one["resource"]) in known]
        group["versions"] = [version for version in group["versions"] if version["resources"]]
    theirs["items"] = [group for group in theirs["items"] if group["versions"]]
    return theirs
