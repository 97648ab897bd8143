"""Which fields a selector may ask for."""

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.paging import names
from tests.conformance.kinds import config_map, config_maps, pod, pods, widget, widgets

pytestmark = [pytest.mark.behaviour("B28"), pytest.mark.usefixtures("service_account")]


def test_names_and_namespaces_can_always_be_asked_for(api: Api, namespace: str) -> None:
    for name in "ab":
        api.create(widgets(namespace), widget(name))

    by_name = api.get(widgets(namespace), query={"fieldSelector": "metadata.name=b"}).ok
    but_name = api.get(widgets(namespace), query={"fieldSelector": "metadata.name!=b"}).ok
    path = "/apis/conformance.windlass.dev/v1/widgets"
    by_namespace = api.get(path, query={"fieldSelector": f"metadata.namespace={namespace}"}).ok

    assert [names(by_name), names(but_name), names(by_namespace)] == [["b"], ["a"], ["a", "b"]]


def test_a_definition_adds_fields(api: Api, namespace: str) -> None:
    for name, color in (("a", "red"), ("b", "blue"), ("c", "green")):
        api.create(widgets(namespace), widget(name, color=color))

    equal = api.get(widgets(namespace), query={"fieldSelector": "spec.color=blue"}).ok
    other = api.get(widgets(namespace), query={"fieldSelector": "spec.color!=blue,metadata.name!=c"}).ok

    assert [names(equal), names(other)] == [["b"], ["a"]]


def test_a_field_that_the_definition_does_not_name_is_refused(api: Api, namespace: str) -> None:
    reply = api.get(widgets(namespace), query={"fieldSelector": "spec.size=1"})

    assert reply.error == (400, "BadRequest", "field label not supported: spec.size")


def test_a_field_that_a_built_in_kind_does_not_know_is_refused(api: Api, namespace: str) -> None:
    reply = api.get(config_maps(namespace), query={"fieldSelector": "data.a=b"})

    why = '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'
    assert reply.error == (400, "BadRequest", why)


def test_built_in_kinds_have_fields_of_their_own(api: Api, namespace: str) -> None:
    api.create(pods(namespace), pod("a", node="nowhere"))
    api.create(pods(namespace), pod("b", schedulerName="nobody", restartPolicy="Never"))

    placed = api.get(pods(namespace), query={"fieldSelector": "spec.nodeName=nowhere"}).ok
    free = api.get(pods(namespace), query={"fieldSelector": "spec.nodeName="}).ok
    never = api.get(pods(namespace), query={"fieldSelector": "spec.restartPolicy=Never,status.phase=Pending"}).ok

    assert [names(placed), names(free), names(never)] == [["a"], ["b"], ["b"]]


def test_the_type_of_a_secret_can_be_asked_for(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/secrets"
    for name, kind in (("a", "Opaque"), ("b", "example.com/kind")):
        api.create(path, {"metadata": {"name": name}, "type": kind})

    assert names(api.get(path, query={"fieldSelector": "type=example.com/kind"}).ok) == ["b"]


@pytest.mark.parametrize("selector", ["metadata.name", "metadata.name=a=b", "a b=c"])
def test_a_selector_that_cannot_be_read_is_refused(api: Api, namespace: str, selector: str) -> None:
    assert api.get(config_maps(namespace), query={"fieldSelector": selector}).status == 400


def test_a_label_selector_that_cannot_be_read_is_refused(api: Api, namespace: str) -> None:
    reply = api.get(config_maps(namespace), query={"labelSelector": "a in b"})

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert reply.message.startswith("unable to parse requirement: ")


def test_labels_can_be_asked_for_in_sets(api: Api, namespace: str) -> None:
    for name, labels in (("a", {"x": "1"}), ("b", {"x": "2"}), ("c", {"y": "1"})):
        obj = config_map(name)
        obj["metadata"]["labels"] = labels
        api.create(config_maps(namespace), obj)

    found = {
        selector: names(api.get(config_maps(namespace), query={"labelSelector": selector}).ok)
        for selector in ("x in (1,2)", "x notin (1)", "x", "!x,y", "x!=1", "x==2")
    }

    # The cluster's own ConfigMap has no labels at all.
    mine = {selector: [name for name in listed if name in "abc"] for selector, listed in found.items()}
    assert mine == {
        "x in (1,2)": ["a", "b"],
        "x notin (1)": ["b", "c"],
        "x": ["a", "b"],
        "!x,y": ["c"],
        "x!=1": ["b", "c"],
        "x==2": ["b"],
    }
