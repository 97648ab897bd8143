"""What a watch says, and when it ends."""

from typing import Any

import pytest

from framework.apiserver.server import ServerOptions
from framework.apiserver.storage import StorageOptions
from tests.unit.framework.apiserver.asking import CONFIG_MAPS, Asked

ONE = f"{CONFIG_MAPS}/one"


@pytest.fixture
def server() -> Asked:
    return Asked(ServerOptions(bookmark_seconds=60.0, watch_seconds=1800.0))


def types(events: list[Any]) -> list[str]:
    return [event["type"] for event in events]


def version_of(obj: Any) -> int:
    return int(obj["metadata"]["resourceVersion"])


def test_without_a_version_it_begins_with_what_there_is(server: Asked) -> None:
    server.config_map("one")
    server.config_map("two")

    watch = server.watch()
    first = watch.events()
    server.config_map("three")

    assert [(event["type"], event["object"]["metadata"]["name"]) for event in first] == [
        ("ADDED", "one"),
        ("ADDED", "two"),
    ]
    assert types(watch.events()) == ["ADDED"]


def test_from_a_version_on_it_tells_every_change_once_and_in_order(server: Asked) -> None:
    start = version_of(server.config_map("zero"))
    server.config_map("one")
    server.merge(ONE, {"data": {"a": "b"}})
    server("DELETE", ONE)

    events = server.watch(f"resourceVersion={start}").events()

    assert types(events) == ["ADDED", "MODIFIED", "DELETED"]
    versions = [version_of(event["object"]) for event in events]
    assert versions == sorted(set(versions))


def test_an_object_that_comes_to_match_is_added_and_one_that_ceases_to_is_deleted_as_it_was(server: Asked) -> None:
    server.config_map("one")
    watch = server.watch("labelSelector=app%3Da")
    assert watch.events() == []

    server.merge(ONE, {"metadata": {"labels": {"app": "a"}}})
    server.merge(ONE, {"data": {"k": "v"}})
    gone = server.merge(ONE, {"metadata": {"labels": {"app": "b"}}})
    events = watch.events()

    assert types(events) == ["ADDED", "MODIFIED", "DELETED"]
    assert events[2]["object"]["metadata"]["labels"] == {"app": "a"}
    assert version_of(events[2]["object"]) == version_of(gone)


def test_an_object_that_never_matches_is_not_told(server: Asked) -> None:
    watch = server.watch("fieldSelector=metadata.name%3Dother")

    server.config_map("one")
    server("DELETE", ONE)

    assert watch.events() == []


def test_bookmarks_come_to_those_who_want_them_and_carry_the_latest_version(server: Asked) -> None:
    with_bookmarks = server.watch("allowWatchBookmarks=true&resourceVersion=1")
    without = server.watch("resourceVersion=1")
    server.create("/api/v1/namespaces", {"metadata": {"name": "elsewhere"}})
    latest = server.server.storage.revision

    server.time.advance(60)

    [bookmark] = with_bookmarks.events()
    assert (bookmark["type"], version_of(bookmark["object"])) == ("BOOKMARK", latest)
    assert bookmark["object"]["kind"] == "ConfigMap"
    assert without.events() == []


def test_the_stream_says_when_it_is_due_without_an_event(server: Asked) -> None:
    watch = server.watch("allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=1000")
    assert watch.stream is not None

    due = watch.stream.wake_at

    assert due is not None
    assert 45 <= due <= 60


def test_a_watch_ends_after_the_time_that_its_client_gave(server: Asked) -> None:
    watch = server.watch("resourceVersion=1&timeoutSeconds=10")

    server.time.advance(9.9)
    before = watch.is_over
    server.time.advance(0.1)

    assert (before, watch.is_over) == (False, True)


def test_a_watch_ends_in_the_time_of_the_server_if_its_client_gave_none(server: Asked) -> None:
    watch = server.watch("resourceVersion=1")

    server.time.advance(1799)
    before = watch.is_over
    server.time.advance(1801)

    assert (before, watch.is_over) == (False, True)


def test_the_last_word_of_a_watch_with_bookmarks_is_one(server: Asked) -> None:
    watch = server.watch("allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=10")
    server.config_map("one")

    server.time.advance(10)

    assert types(watch.events()) == ["ADDED", "BOOKMARK"]
    assert watch.is_over


def test_a_version_that_is_too_old_is_an_error_inside_the_stream() -> None:
    server = Asked(ServerOptions(history=StorageOptions(history_limit=4)))
    for number in range(20):
        server.config_map(f"map-{number}")

    watch = server.watch("resourceVersion=2")

    [event] = watch.events()
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
    assert watch.is_over


def test_a_reader_that_falls_out_of_the_window_is_dropped_without_a_word() -> None:
    server = Asked(ServerOptions(history=StorageOptions(history_limit=4)))
    watch = server.watch("resourceVersion=1")
    assert watch.events() == []

    for number in range(20):
        server.config_map(f"map-{number}")

    assert watch.is_over


def test_initial_events_end_with_a_bookmark_that_says_so(server: Asked) -> None:
    server.config_map("one")

    watch = server.watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
    events = watch.events()

    assert types(events) == ["ADDED", "BOOKMARK"]
    assert events[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_a_version_from_the_future_is_waited_for(server: Asked) -> None:
    future = server.server.storage.revision + 1
    query = f"sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={future}"
    watch = server.watch(query)
    before = watch.events()

    server.config_map("one")

    assert (before, types(watch.events())) == ([], ["ADDED"])


def test_a_version_from_the_future_that_does_not_come_is_an_error(server: Asked) -> None:
    query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999"
    watch = server.watch(query)

    server.time.advance(3)

    [event] = watch.events()
    assert (event["type"], event["object"]["code"]) == ("ERROR", 504)
    assert watch.is_over


def test_a_listener_is_woken_by_each_change_until_it_closes(server: Asked) -> None:
    watch = server.watch("resourceVersion=1")
    assert watch.stream is not None
    woken: list[int] = []
    watch.stream.on_ready(lambda: woken.append(server.server.storage.revision))
    at_once = len(woken)

    server.config_map("one")
    while_open = len(woken)
    watch.stream.close()
    watch.stream.close()
    server.config_map("two")

    assert (at_once, while_open, len(woken)) == (1, 2, 2)


def test_a_table_of_each_event_names_its_columns_once(server: Asked) -> None:
    reply = server(
        "GET", f"{CONFIG_MAPS}?watch=true&resourceVersion=1", accept="application/json;as=Table;v=v1;g=meta.k8s.io"
    )
    server.config_map("one")
    server.config_map("two")

    tables = [event["object"] for event in reply.events()]

    assert [table["kind"] for table in tables] == ["Table", "Table"]
    assert [row["cells"][0] for table in tables for row in table["rows"]] == ["one", "two"]
