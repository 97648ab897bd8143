"""How far back a watch can begin."""

from collections.abc import Iterator

import pytest

from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.server import ServerOptions
from framework.apiserver.storage import StorageOptions
from tests.conformance.api import Api
from tests.conformance.conftest import api_of
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B40")


def test_hundreds_of_recent_events_are_remembered(api: Api, namespace: str) -> None:
    start = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]
    for number in range(300):
        api.patch(widgets(namespace, "one"), {"metadata": {"labels": {"number": str(number)}}}).check()

    with api.watch(widgets(namespace), {"resourceVersion": start}) as watch:
        events = watch.take(300)

    assert [event["object"]["metadata"]["labels"]["number"] for event in events] == [str(one) for one in range(300)]


def test_compaction_ends_the_memory_of_lists(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())

    api.compact()

    query = {"resourceVersion": 2, "resourceVersionMatch": "Exact"}
    assert api.get(widgets(namespace), query=query).status == 410
    assert api.get(widgets(namespace)).status == 200


@pytest.fixture
def forgetful_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The window of a real server cannot be made small from outside: it grows as needed."""
    options = EmbeddedOptions(server=ServerOptions(history=StorageOptions(history_limit=10)))
    with EmbeddedServer(tmp_path_factory.mktemp("forgetful"), options=options) as server:
        api = api_of(server)
        yield api
        api.close()


def test_beyond_the_window_a_watch_is_told_to_begin_anew(forgetful_api: Api) -> None:
    api = forgetful_api
    start = api.create(config_maps("default"), config_map()).ok["metadata"]["resourceVersion"]
    for number in range(30):
        last = api.patch(config_maps("default", "one"), {"data": {"number": str(number)}}).ok

    with api.watch(config_maps("default"), {"resourceVersion": start}) as watch:
        (event,) = watch.rest()
    within = str(int(last["metadata"]["resourceVersion"]) - 1)
    with api.watch(config_maps("default"), {"resourceVersion": within}) as watch:
        assert watch.next() == {"type": "MODIFIED", "object": last}

    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
