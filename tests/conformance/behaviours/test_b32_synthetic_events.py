"""A watch from nowhere begins with everything that there is."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B32")


@pytest.mark.parametrize("query", [{}, {"resourceVersion": "0"}], ids=["unset", "0"])
def test_what_there_is_comes_first_as_added(api: Api, namespace: str, query: dict[str, str]) -> None:
    for name in "abc":
        api.create(widgets(namespace), widget(name))
    last = api.patch(widgets(namespace, "b"), {"spec": {"size": 1}}).ok
    # The cache of a real server is behind for a moment; this makes it catch up.
    api.get(widgets(namespace), query={"resourceVersion": last["metadata"]["resourceVersion"]})

    with api.watch(widgets(namespace), query) as watch:
        existing = watch.take(3)
        api.delete(widgets(namespace, "a"))
        live = watch.next()

    assert {event["type"] for event in existing} == {"ADDED"}
    assert sorted(event["object"]["metadata"]["name"] for event in existing) == ["a", "b", "c"]
    assert last in [event["object"] for event in existing]
    assert (live["type"], live["object"]["metadata"]["name"]) == ("DELETED", "a")


def test_only_what_matches_comes(api: Api, namespace: str) -> None:
    for name, color in (("a", "red"), ("b", "blue")):
        last = api.create(widgets(namespace), widget(name, labels={"color": color})).ok
    api.get(widgets(namespace), query={"resourceVersion": last["metadata"]["resourceVersion"]})

    with api.watch(widgets(namespace), {"labelSelector": "color=blue"}) as watch:
        first = watch.next()
        api.create(widgets(namespace), widget("c", labels={"color": "blue"}))
        second = watch.next()

    assert [event["object"]["metadata"]["name"] for event in (first, second)] == ["b", "c"]
