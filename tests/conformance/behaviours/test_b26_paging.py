"""Lists in pages, all of one snapshot."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.paging import aged, names
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B26")


def _create(api: Api, namespace: str, letters: str) -> None:
    for name in letters:
        api.create(widgets(namespace), widget(name, labels={"odd": str("abcdefg".index(name) % 2)})).check()


def _page(api: Api, namespace: str, token: str = "", **query: Any) -> Any:
    return api.get(widgets(namespace), query={"limit": 2, "continue": token, **query}).ok


def test_pages_follow_each_other_and_end(api: Api, namespace: str) -> None:
    _create(api, namespace, "abcde")

    first = _page(api, namespace)
    second = _page(api, namespace, first["metadata"]["continue"])
    third = _page(api, namespace, second["metadata"]["continue"])

    assert [names(page) for page in (first, second, third)] == [["a", "b"], ["c", "d"], ["e"]]
    assert [page["metadata"].get("remainingItemCount") for page in (first, second, third)] == [3, 1, None]
    assert not third["metadata"].get("continue")


def test_all_pages_show_one_snapshot_under_one_version(api: Api, namespace: str) -> None:
    _create(api, namespace, "abcde")
    first = _page(api, namespace)
    api.create(widgets(namespace), widget("bb"))
    api.create(widgets(namespace), widget("cc"))
    api.delete(widgets(namespace, "d"))
    api.patch(widgets(namespace, "e"), {"spec": {"size": 9}})

    second = _page(api, namespace, first["metadata"]["continue"])
    third = _page(api, namespace, second["metadata"]["continue"])

    assert names(second) == ["c", "d"]
    assert names(third) == ["e"]
    assert "size" not in third["items"][0]["spec"]
    versions = {page["metadata"]["resourceVersion"] for page in (first, second, third)}
    assert len(versions) == 1


def test_with_selectors_nobody_counts_what_is_left(api: Api, namespace: str) -> None:
    _create(api, namespace, "abcdefg")

    first = _page(api, namespace, labelSelector="odd=0")

    assert names(first) == ["a", "c"]
    assert "remainingItemCount" not in first["metadata"]
    second = _page(api, namespace, first["metadata"]["continue"], labelSelector="odd=0")
    assert names(second) == ["e", "g"]


def test_pages_go_across_namespaces(api: Api, namespace: str) -> None:
    label = {"case": namespace}
    for suffix in ("-a", "-b"):
        api.create("/api/v1/namespaces", {"metadata": {"name": namespace + suffix}})
        for name in ("x", "y"):
            obj = config_map(name)
            obj["metadata"]["labels"] = label
            api.create(config_maps(namespace + suffix), obj)

    query = {"labelSelector": f"case={namespace}", "limit": 3}
    first = api.get("/api/v1/configmaps", query=query).ok
    second = api.get("/api/v1/configmaps", query={**query, "continue": first["metadata"]["continue"]}).ok

    places = [
        (one["metadata"]["namespace"].removeprefix(namespace), one["metadata"]["name"])
        for one in (*first["items"], *second["items"])
    ]
    assert places == [("-a", "x"), ("-a", "y"), ("-b", "x"), ("-b", "y")]


def test_a_token_that_is_too_old_is_gone_and_brings_another(api: Api, namespace: str) -> None:
    _create(api, namespace, "abcde")
    first = _page(api, namespace)
    api.create(widgets(namespace), widget("cc"))
    api.compact()

    token = aged(first["metadata"]["continue"])
    reply = api.get(widgets(namespace), query={"limit": 2, "continue": token})

    assert (reply.status, reply.reason) == (410, "Expired")
    assert reply.message.startswith("The provided continue parameter is too old to display a consistent list result.")
    rest = _page(api, namespace, reply.document["metadata"]["continue"])
    assert names(rest) == ["c", "cc"]
    assert int(rest["metadata"]["resourceVersion"]) > int(first["metadata"]["resourceVersion"])


def test_a_token_goes_without_a_version(api: Api, namespace: str) -> None:
    _create(api, namespace, "abc")
    first = _page(api, namespace)

    query = {"continue": first["metadata"]["continue"], "resourceVersion": first["metadata"]["resourceVersion"]}
    reply = api.get(widgets(namespace), query={"limit": 2, **query})

    assert reply.error == (400, "BadRequest", "specifying resource version is not allowed when using continue")


def test_a_token_that_nobody_gave_out_is_a_bad_request(api: Api, namespace: str) -> None:
    reply = api.get(widgets(namespace), query={"limit": 2, "continue": "nonsense"})

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert reply.message.startswith("invalid continue token: continue key is not valid: ")


def test_a_page_as_long_as_the_list_has_no_token(api: Api, namespace: str) -> None:
    _create(api, namespace, "ab")

    assert _page(api, namespace)["metadata"].get("continue") == ""


def test_a_list_of_a_built_in_kind_does_not_mention_a_token_that_is_not_there(api: Api, namespace: str) -> None:
    assert set(api.get(config_maps(namespace)).ok["metadata"]) == {"resourceVersion"}
