"""In which order lists come, and in which shape."""

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.paging import names
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B29")
PARTIAL = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


def test_lists_are_in_the_order_of_names(api: Api, namespace: str) -> None:
    for name in ("b", "a-b", "a", "a.b", "c", "ab"):
        api.create(widgets(namespace), widget(name))

    assert names(api.get(widgets(namespace)).ok) == ["a", "a-b", "a.b", "ab", "b", "c"]


def test_lists_across_namespaces_are_in_the_order_of_namespaces(api: Api, namespace: str) -> None:
    for suffix in ("-b", "-a"):
        api.create("/api/v1/namespaces", {"metadata": {"name": namespace + suffix}})
        for name in ("y", "x"):
            api.create(widgets(namespace + suffix), widget(name, labels={"case": namespace}))

    path = "/apis/conformance.windlass.dev/v1/widgets"
    listed = api.get(path, query={"labelSelector": f"case={namespace}"}).ok

    places = [(one["metadata"]["namespace"][-1], one["metadata"]["name"]) for one in listed["items"]]
    assert places == [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]


def test_items_of_built_in_kinds_do_not_tell_their_type_and_custom_ones_do(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    api.create(config_maps(namespace), config_map())

    custom = api.get(widgets(namespace)).ok
    builtin = api.get(config_maps(namespace)).ok

    assert (custom["kind"], custom["items"][0]["kind"]) == ("WidgetList", "Widget")
    assert builtin["kind"] == "ConfigMapList"
    assert not {"kind", "apiVersion"} & set(builtin["items"][0])


def test_metadata_only(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok

    single = api.get(widgets(namespace, "one"), accept=PARTIAL).ok
    listed = api.get(widgets(namespace), accept=PARTIAL_LIST).ok

    partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}
    assert single == partial
    assert (listed["kind"], listed["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
    assert listed["items"] == [partial]


def test_a_table_has_the_columns_of_the_definition(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget(color="blue"))

    table = api.get(widgets(namespace), accept=TABLE).ok

    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Color", "Phase"]
    assert [row["cells"] for row in table["rows"]] == [["one", "blue", None]]
    assert table["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


@pytest.mark.parametrize(
    ("include", "kind"), [("None", None), ("Metadata", "PartialObjectMetadata"), ("Object", "Widget")]
)
def test_a_table_includes_what_was_asked_for(api: Api, namespace: str, include: str, kind: str | None) -> None:
    api.create(widgets(namespace), widget())

    table = api.get(widgets(namespace, "one"), accept=TABLE, query={"includeObject": include}).ok

    assert (table["rows"][0]["object"] or {}).get("kind") == kind


def test_something_else_cannot_be_included(api: Api, namespace: str) -> None:
    reply = api.get(widgets(namespace), accept=TABLE, query={"includeObject": "Foo"})

    problem = """includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty"""
    assert reply.error == (400, "BadRequest", f"Unable to convert to Table as requested: {problem}")


def test_only_the_first_table_of_a_watch_has_the_columns(api: Api, namespace: str) -> None:
    version = api.get(widgets(namespace)).ok["metadata"]["resourceVersion"]
    for name in "ab":
        api.create(widgets(namespace), widget(name))

    with api.watch(widgets(namespace), {"resourceVersion": version}, accept=TABLE) as watch:
        first, second = watch.take(2)

    assert first["object"]["kind"] == "Table"
    assert len(first["object"]["columnDefinitions"]) == 3
    assert not second["object"]["columnDefinitions"]
    assert second["object"]["rows"][0]["cells"][0] == "b"


def test_the_first_of_several_shapes_that_can_be_made_is_taken(api: Api, namespace: str) -> None:
    accept = f"application/json;as=Unknown;g=meta.k8s.io;v=v1, {TABLE}, application/json"

    assert api.get(widgets(namespace), accept=accept).ok["kind"] == "Table"


@pytest.mark.parametrize("accept", ["text/html", "application/json;as=Unknown;g=meta.k8s.io;v=v1"])
def test_a_shape_that_cannot_be_made_is_not_acceptable(api: Api, namespace: str, accept: str) -> None:
    reply = api.get(widgets(namespace), accept=accept)

    assert (reply.status, reply.reason) == (406, "NotAcceptable")
    assert reply.message.startswith("only the following media types are accepted: application/json")


def test_an_object_is_no_list_of_metadata(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    single = api.get(widgets(namespace, "one"), accept=PARTIAL_LIST)
    listed = api.get(widgets(namespace), accept=PARTIAL)

    assert (single.status, single.message) == (500, "content is not a list")
    assert (listed.status, listed.reason) == (406, "NotAcceptable")


def test_yaml_can_be_asked_for(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map(a="b"))

    reply = api.get(config_maps(namespace, "one"), accept="application/yaml")

    assert reply.headers["content-type"] == "application/yaml"
    assert b"\n  a: b\n" in reply.body
