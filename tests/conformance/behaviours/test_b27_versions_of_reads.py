"""How old a read may be: resourceVersion and resourceVersionMatch."""

from typing import Any

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.paging import names
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B27")
INVALID = 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: '
FUTURE = 999_999_999


def _version(obj: Any) -> str:
    return str(obj["metadata"]["resourceVersion"])


def test_without_a_version_a_read_is_the_most_recent(api: Api, namespace: str) -> None:
    for number in range(5):
        created = api.create(widgets(namespace), widget(f"w{number}")).ok

        listed = api.get(widgets(namespace)).ok

        assert names(listed)[-1] == f"w{number}"
        assert int(_version(listed)) >= int(_version(created))


@pytest.mark.parametrize("match", ["", "NotOlderThan"])
def test_a_list_is_not_older_than_the_version(api: Api, namespace: str, match: str) -> None:
    version = _version(api.create(widgets(namespace), widget()).ok)

    listed = api.get(widgets(namespace), query={"resourceVersion": version, "resourceVersionMatch": match}).ok

    assert names(listed) == ["one"]
    assert int(_version(listed)) >= int(version)


@pytest.mark.parametrize("query", [{"resourceVersionMatch": "Exact"}, {"limit": 10}], ids=["Exact", "limit"])
def test_an_exact_list_shows_the_past(api: Api, namespace: str, query: Any) -> None:
    api.create(widgets(namespace), widget("a", size=1))
    version = _version(api.create(widgets(namespace), widget("b")).ok)
    api.patch(widgets(namespace, "a"), {"spec": {"size": 2}})
    api.delete(widgets(namespace, "b"))
    api.create(widgets(namespace), widget("c"))

    listed = api.get(widgets(namespace), query={"resourceVersion": version, **query}).ok

    assert names(listed) == ["a", "b"]
    assert listed["items"][0]["spec"]["size"] == 1
    assert _version(listed) == version


def test_with_a_limit_not_older_than_is_still_possible(api: Api, namespace: str) -> None:
    version = _version(api.create(widgets(namespace), widget("a")).ok)
    newer = _version(api.create(widgets(namespace), widget("b")).ok)
    # A server may answer from a cache that is behind; after this read it is not.
    api.get(widgets(namespace), query={"resourceVersion": newer})

    query = {"resourceVersion": version, "resourceVersionMatch": "NotOlderThan", "limit": 1}
    listed = api.get(widgets(namespace), query=query).ok

    assert int(_version(listed)) >= int(newer)


def test_any_version_may_be_read(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    for path in (widgets(namespace), widgets(namespace, "one")):
        assert api.get(path, query={"resourceVersion": "0"}).status in {200, 404}


@pytest.mark.parametrize("path", ["", "one"], ids=["list", "get"])
def test_a_version_from_the_future_times_out_and_says_when_to_come_again(api: Api, namespace: str, path: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.get(config_maps(namespace, path), query={"resourceVersion": FUTURE})

    assert (reply.status, reply.reason) == (504, "Timeout")
    assert reply.message.startswith(f"Timeout: Too large resource version: {FUTURE}, current: ")
    assert reply.document["details"] == {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    assert reply.headers["retry-after"] == "1"


def test_a_version_that_is_too_old_is_gone(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    api.compact()

    reply = api.get(widgets(namespace), query={"resourceVersion": 2, "resourceVersionMatch": "Exact"})

    assert reply.error == (410, "Expired", "The resourceVersion for the provided list is too old.")


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        (
            {"resourceVersionMatch": "Exact"},
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
            'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (
            {"resourceVersionMatch": "Newest", "resourceVersion": "5"},
            'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
        ),
    ],
    ids=["without version", "exactly any", "unknown"],
)
def test_some_combinations_are_invalid(api: Api, namespace: str, query: Any, problem: str) -> None:
    reply = api.get(widgets(namespace), query=query)

    assert reply.error == (422, "Invalid", INVALID + problem)


def test_a_match_goes_without_a_token(api: Api, namespace: str) -> None:
    for name in "ab":
        api.create(widgets(namespace), widget(name))
    token = api.get(widgets(namespace), query={"limit": 1}).ok["metadata"]["continue"]

    query = {"limit": 1, "continue": token, "resourceVersion": "0", "resourceVersionMatch": "NotOlderThan"}
    reply = api.get(widgets(namespace), query=query)

    why = "Forbidden: resourceVersionMatch is forbidden when continue is provided"
    assert reply.error == (422, "Invalid", INVALID + why)


def test_a_version_that_is_no_number_is_a_bad_request(api: Api, namespace: str) -> None:
    reply = api.get(config_maps(namespace), query={"resourceVersion": "many"})

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert 'strconv.ParseUint: parsing "many": invalid syntax' in reply.message
