"""How a watch goes over the wire, and how it ends."""

from collections.abc import Iterator

import pytest

from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.server import ServerOptions
from framework.apiserver.storage import StorageOptions
from framework.clock import SystemClock
from tests.conformance.api import Api
from tests.conformance.conftest import api_of
from tests.conformance.fidelity import SERVERS
from tests.conformance.kinds import config_map, config_maps, widget, widgets

# That a cache that is not ready yet answers 429 cannot be shown: a real server does it only in the moments after its
# start, and the embedded one has no such cache.
pytestmark = pytest.mark.behaviour("B39")


def test_the_head_comes_before_the_first_event(api: Api, namespace: str) -> None:
    start = api.get(widgets(namespace)).ok["metadata"]["resourceVersion"]

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        # There is nothing to tell yet, and the head is here.
        assert watch.status == 200
        assert watch.headers["content-type"] == "application/json"
        assert watch.headers["transfer-encoding"] == "chunked"


def test_each_line_is_one_event(api: Api, namespace: str) -> None:
    start = api.get(widgets(namespace)).ok["metadata"]["resourceVersion"]
    for name in "abc":
        api.create(widgets(namespace), widget(name))

    with api.watch(widgets(namespace), {"resourceVersion": start, "timeoutSeconds": 1}) as watch:
        lines = watch.read_all().splitlines(keepends=True)

    assert len(lines) == 3
    assert all(line.startswith(b'{"type":"ADDED","object":{') and line.endswith(b"}\n") for line in lines)


def test_a_watch_ends_after_the_time_that_was_asked_for(api: Api, namespace: str) -> None:
    clock = SystemClock()
    start = api.get(widgets(namespace)).ok["metadata"]["resourceVersion"]
    begin = clock.monotonic()

    with api.watch(widgets(namespace), {"resourceVersion": start, "timeoutSeconds": 1}) as watch:
        assert watch.rest() == []

    assert 0.9 < clock.monotonic() - begin < 25


@pytest.fixture(params=SERVERS)
def strict_api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server that remembers little; the real one always does for a single reader."""
    if request.param == "real":
        yield request.getfixturevalue("real_api")
        return
    options = EmbeddedOptions(server=ServerOptions(history=StorageOptions(history_limit=10)))
    with EmbeddedServer(tmp_path_factory.mktemp("strict"), options=options) as server:
        api = api_of(server)
        yield api
        api.close()


def test_a_reader_that_does_not_read_is_dropped_without_a_word(strict_api: Api) -> None:
    big, path = "x" * 500_000, config_maps("default", "unread")
    start = strict_api.create(config_maps("default"), config_map("unread")).ok["metadata"]["resourceVersion"]
    query = {"resourceVersion": start, "fieldSelector": "metadata.name=unread", "timeoutSeconds": 300}

    with strict_api.watch(config_maps("default"), query, receive_buffer=4096) as watch:
        for number in range(50):
            strict_api.put(path, config_map("unread", big=f"{number}{big}")).check()
        events = watch.complete_events()

    assert 0 < len(events) < 50
    assert {event["type"] for event in events} == {"MODIFIED"}


@pytest.fixture
def impatient_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    options = EmbeddedOptions(server=ServerOptions(watch_seconds=0.2))
    with EmbeddedServer(tmp_path_factory.mktemp("impatient"), options=options) as server:
        api = api_of(server)
        yield api
        api.close()


def test_without_a_time_the_server_ends_a_watch_after_one_to_two_of_its_own(impatient_api: Api) -> None:
    """The real server's own time is half an hour."""
    clock = SystemClock()
    begin = clock.monotonic()

    with impatient_api.watch(config_maps("default"), {"timeoutSeconds": 0}) as watch:
        watch.rest()

    assert 0.2 <= clock.monotonic() - begin < 25
