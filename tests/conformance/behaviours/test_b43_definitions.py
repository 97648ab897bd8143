"""Definitions: versions, conversion, discovery, names."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.definitions import DEFINITIONS, apply_definition, served
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.behaviours.webhooks import Webhooks
from tests.conformance.kinds import config_map, config_maps

pytestmark = pytest.mark.behaviour("B43")
SCHEMA = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def _version(name: str, *, storage: bool = False, is_served: bool = True) -> Any:
    return {"name": name, "served": is_served, "storage": storage, "schema": {"openAPIV3Schema": SCHEMA}}


class Kind:
    """A kind of its own for one case: its group is named after the case's namespace."""

    def __init__(self, api: Api, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self.group = f"{namespace}.windlass.dev"
        self.name = f"things.{self.group}"

    def definition(self, *versions: Any, **spec: Any) -> Any:
        names = {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.name},
            "spec": {"group": self.group, "scope": "Namespaced", "names": names, "versions": [*versions], **spec},
        }

    def path(self, version: str, name: str = "") -> str:
        collection = f"/apis/{self.group}/{version}/namespaces/{self._namespace}/things"
        return f"{collection}/{name}" if name else collection

    def thing(self, version: str, name: str = "one", **content: Any) -> Any:
        return {"apiVersion": f"{self.group}/{version}", "kind": "Thing", "metadata": {"name": name}, **content}

    def serve(self, *versions: Any, **spec: Any) -> None:
        apply_definition(self._api, self.definition(*versions, **spec))
        for version in versions:
            if version["served"]:
                served(self._api, self.path(version["name"]))


@pytest.fixture
def kind(api: Api, namespace: str) -> Kind:
    return Kind(api, namespace)


def test_a_kind_is_not_there_until_it_is_defined(api: Api, kind: Kind) -> None:
    before = api.get(kind.path("v1"))

    kind.serve(_version("v1", storage=True))

    assert (before.status, before.body) == (404, b"404 page not found\n")
    status = api.get(f"{DEFINITIONS}/{kind.name}").ok["status"]
    conditions = {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}
    assert conditions["Established"] == ("True", "InitialNamesAccepted")
    assert conditions["NamesAccepted"] == ("True", "NoConflicts")
    assert status["storedVersions"] == ["v1"]
    assert status["acceptedNames"]["kind"] == "Thing"


def test_an_object_is_shown_in_every_served_version(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1"), _version("v2", storage=True))
    created = api.create(kind.path("v1"), kind.thing("v1", spec={"a": "b"})).ok

    shown = api.get(kind.path("v2", "one")).ok

    assert (created["apiVersion"], shown["apiVersion"]) == (f"{kind.group}/v1", f"{kind.group}/v2")
    assert shown["spec"] == {"a": "b"}
    assert shown["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
    assert [one["apiVersion"] for one in api.get(kind.path("v2")).ok["items"]] == [f"{kind.group}/v2"]


def test_a_watch_speaks_its_own_version(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1"), _version("v2", storage=True))
    start = api.create(kind.path("v1"), kind.thing("v1")).ok["metadata"]["resourceVersion"]

    with api.watch(kind.path("v1"), {"resourceVersion": start}) as watch:
        api.create(kind.path("v2"), kind.thing("v2", "two"))
        event = watch.next()

    assert event["object"]["apiVersion"] == f"{kind.group}/v1"


def test_a_version_that_is_not_served_is_not_there(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1", storage=True), _version("v2", is_served=False))

    assert api.get(kind.path("v1")).status == 200
    assert api.get(kind.path("v2")).status == 404


def test_every_version_that_was_stored_is_remembered(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1", storage=True), _version("v2"))

    kind.serve(_version("v1"), _version("v2", storage=True))

    assert api.get(f"{DEFINITIONS}/{kind.name}").ok["status"]["storedVersions"] == ["v1", "v2"]


def test_discovery_lists_the_versions_newest_and_most_stable_first(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1alpha1"), _version("v1", storage=True), _version("v2beta1"), _version("v2"))

    def group() -> Any:
        return api.get(f"/apis/{kind.group}").document

    found = eventually(group, lambda document: len(document.get("versions", [])) == 4)

    assert [one["version"] for one in found["versions"]] == ["v2", "v1", "v2beta1", "v1alpha1"]
    assert found["preferredVersion"]["version"] == "v2"
    # Each version is told of by itself.
    resources = eventually(lambda: api.get(f"/apis/{kind.group}/v1"), lambda reply: reply.status == 200).ok["resources"]
    verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
    assert [(one["name"], one["kind"], one["namespaced"], sorted(one["verbs"])) for one in resources] == [
        ("things", "Thing", True, sorted(verbs))
    ]


def test_aggregated_discovery_tells_it_too(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1", storage=True))

    def found() -> Any:
        groups = api.get("/apis", accept=AGGREGATED).ok["items"]
        return next((one for one in groups if one["metadata"]["name"] == kind.group), None)

    group = eventually(found, lambda one: one is not None)

    (version,) = group["versions"]
    assert version["version"] == "v1"
    assert [one["resource"] for one in version["resources"]] == ["things"]


def test_taken_names_are_not_accepted(api: Api, kind: Kind, namespace: str) -> None:
    kind.serve(_version("v1", storage=True))
    other = kind.definition(_version("v1", storage=True))
    other["metadata"]["name"] = f"others.{kind.group}"
    other["spec"]["names"] = {"kind": "Thing", "listKind": "ThingList", "plural": "others", "singular": "thing"}
    apply_definition(api, other)

    def conditions() -> Any:
        status = api.get(f"{DEFINITIONS}/others.{kind.group}").ok.get("status") or {}
        return {one["type"]: one for one in status.get("conditions") or ()}

    found = eventually(conditions, lambda one: "NamesAccepted" in one and "Established" in one)

    assert (found["NamesAccepted"]["status"], found["NamesAccepted"]["reason"]) == ("False", "ListKindConflict")
    assert (found["Established"]["status"], found["Established"]["reason"]) == ("False", "NotAccepted")
    assert api.get(f"/apis/{kind.group}/v1/namespaces/{namespace}/others").status == 404


def test_a_definition_takes_its_objects_with_it(api: Api, kind: Kind) -> None:
    kind.serve(_version("v1", storage=True))
    api.create(kind.path("v1"), kind.thing("v1"))

    assert api.delete(f"{DEFINITIONS}/{kind.name}").status == 200

    eventually(lambda: api.get(f"{DEFINITIONS}/{kind.name}").status, lambda status: status == 404)
    eventually(lambda: api.get(kind.path("v1")).status, lambda status: status == 404)
    kind.serve(_version("v1", storage=True))
    assert api.get(kind.path("v1")).ok["items"] == []


def test_a_webhook_converts_between_versions(api: Api, kind: Kind, webhooks: Webhooks) -> None:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": webhooks.client_config("convert")}
    conversion = {"strategy": "Webhook", "webhook": webhook}
    kind.serve(_version("v1"), _version("v2", storage=True), conversion=conversion)

    created = api.create(kind.path("v1"), kind.thing("v1", host="a", port="1")).ok
    shown = api.get(kind.path("v2", "one")).ok
    again = api.get(kind.path("v1", "one")).ok

    assert (created["host"], created["port"]) == ("a", "1")
    assert shown["hostPort"] == "a:1"
    assert (again["host"], again["port"]) == ("a", "1")
    assert again["metadata"] == created["metadata"]


def test_a_conversion_that_fails_is_an_internal_error(api: Api, kind: Kind, webhooks: Webhooks) -> None:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": webhooks.client_config("refuse-to-convert")}
    conversion = {"strategy": "Webhook", "webhook": webhook}
    kind.serve(_version("v1"), _version("v2", storage=True), conversion=conversion)

    reply = api.create(kind.path("v1"), kind.thing("v1"))

    assert reply.status == 500
    assert reply.message == f"conversion webhook for {kind.group}/v1, Kind=Thing failed: not today"


def test_a_schema_is_required(api: Api, kind: Kind) -> None:
    reply = api.create(DEFINITIONS, kind.definition({"name": "v1", "served": True, "storage": True}))

    assert reply.status == 422
    assert reply.causes[0]["field"] == "spec.versions[0].schema.openAPIV3Schema"


def test_exactly_one_version_is_stored(api: Api, kind: Kind) -> None:
    reply = api.create(DEFINITIONS, kind.definition(_version("v1"), _version("v2")))

    assert reply.status == 422
    assert "must have exactly one version marked as storage version" in reply.message


def test_a_rule_with_an_unknown_function_is_refused(api: Api, kind: Kind) -> None:
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "nonsense(self)"}]}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}

    reply = api.create(DEFINITIONS, kind.definition(version))

    assert reply.status == 422
    assert "undeclared reference to 'nonsense'" in reply.message


def test_the_group_of_a_built_in_kind_knows_no_other_resource(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())

    for path in (f"/api/v1/namespaces/{namespace}/things", f"/apis/apps/v9/namespaces/{namespace}/things"):
        reply = api.get(path)

        assert reply.error == (404, "NotFound", "the server could not find the requested resource")
        assert reply.document["details"] == {}
