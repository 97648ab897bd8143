"""Lists: which objects, in which pages, at which version."""

import pytest

from framework.apiserver.server import ServerOptions
from framework.apiserver.storage import StorageOptions
from tests.unit.framework.apiserver.asking import CONFIG_MAPS, Asked


@pytest.fixture
def server() -> Asked:
    server = Asked()
    for name in ("a", "b", "c", "d", "e"):
        server.create(CONFIG_MAPS, {"metadata": {"name": name, "labels": {"is": name, "odd": str(ord(name) % 2)}}})
    return server


def names(server: Asked, query: str) -> list[str]:
    reply = server("GET", f"{CONFIG_MAPS}?{query}")
    assert reply.status == 200, reply.body
    return [item["metadata"]["name"] for item in reply.document["items"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["a", "b", "c", "d", "e"]),
        ("labelSelector=odd%3D1", ["a", "c", "e"]),
        ("labelSelector=odd%3D1,is+notin+(a)", ["c", "e"]),
        ("fieldSelector=metadata.name%3Db", ["b"]),
        ("fieldSelector=metadata.name!%3Db", ["a", "c", "d", "e"]),
        ("fieldSelector=metadata.name%3Db&labelSelector=odd%3D1", []),
        ("limit=2", ["a", "b"]),
        ("limit=-1", ["a", "b", "c", "d", "e"]),
        (f"limit={2**63 - 1}", ["a", "b", "c", "d", "e"]),
        ("limit=2&labelSelector=odd%3D1", ["a", "c"]),
    ],
)
def test_selectors_and_limits_choose(server: Asked, query: str, found: list[str]) -> None:
    assert names(server, query) == found


def test_pages_show_what_there_was_when_the_first_was_asked_for(server: Asked) -> None:
    first = server("GET", f"{CONFIG_MAPS}?limit=2").document
    server("DELETE", f"{CONFIG_MAPS}/c")
    server.config_map("bb")

    second = server("GET", f"{CONFIG_MAPS}?limit=10&continue={first['metadata']['continue']}").document

    assert [item["metadata"]["name"] for item in second["items"]] == ["c", "d", "e"]
    assert second["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
    assert first["metadata"]["remainingItemCount"] == 3


def test_a_page_whose_history_is_gone_says_how_to_go_on() -> None:
    server = Asked(ServerOptions(history=StorageOptions(history_limit=4)))
    for number in range(10):
        server.config_map(f"map-{number}")
    first = server("GET", f"{CONFIG_MAPS}?limit=2").document
    for number in range(10, 30):
        server.config_map(f"map-{number}")

    expired = server("GET", f"{CONFIG_MAPS}?limit=2&continue={first['metadata']['continue']}").document
    rest = server("GET", f"{CONFIG_MAPS}?continue={expired['metadata']['continue']}").document

    assert (expired["code"], expired["reason"]) == (410, "Expired")
    assert len(rest["items"]) == 28


def test_an_exact_version_is_shown_as_it_was(server: Asked) -> None:
    version = server("GET", CONFIG_MAPS).document["metadata"]["resourceVersion"]
    server("DELETE", f"{CONFIG_MAPS}/a")

    assert names(server, f"resourceVersion={version}&resourceVersionMatch=Exact") == ["a", "b", "c", "d", "e"]
    assert names(server, f"resourceVersion={version}&resourceVersionMatch=NotOlderThan") == ["b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("resourceVersion=x", 400),
        ("resourceVersion=" + "9" * 5000, 400),
        ("resourceVersion=1&resourceVersionMatch=Odd", 422),
        ("resourceVersionMatch=Exact", 422),
        ("resourceVersion=0&resourceVersionMatch=Exact", 422),
        ("sendInitialEvents=true", 422),
        ("labelSelector=((", 400),
        ("fieldSelector=spec.x%3D1", 400),
        ("continue=x&resourceVersion=5", 400),
    ],
)
def test_what_cannot_be_is_refused(server: Asked, query: str, code: int) -> None:
    reply = server("GET", f"{CONFIG_MAPS}?{query}")

    assert (reply.status, reply.document["code"]) == (code, code)
