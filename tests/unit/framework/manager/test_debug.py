"""The debug page: who may ask, for what, and what it says when it does not know."""

import http.client
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
import structlog
from prometheus_client import CollectorRegistry

from apis.meta import GroupVersionKind, Key, KubeObject, Request, ResourceType, kind
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.clock import SystemClock
from framework.controller import Controller, ControllerMetrics, Primary
from framework.errors import ConfigurationError
from framework.informers import SharedInformer
from framework.journal import Run
from framework.manager.debug import DebugServer
from framework.randomness import system_random
from framework.reconcile import Result
from framework.runtime import ThreadRuntime
from framework.workqueue import Reason

ANYWHERE = "127.0.0.1:0"
CLOUDS = ResourceType(GroupVersionKind("example.com", "v1", "Cloud"), "clouds", "Cluster")


@kind(group="example.com", version="v1", plural="widgets", short_names=("wd",))
class Widget(KubeObject, frozen=True, kw_only=True):
    pass


class Idle:
    def reconcile(self, _request: Request) -> Result:
        return Result.await_change()


def controller(name: str, kind: Any | None) -> Controller:
    clock, runtime, random = SystemClock(), ThreadRuntime(), system_random()
    client = in_process_client(ApiServer())
    informer: Any = SharedInformer(kind or Widget, client=client, clock=clock, runtime=runtime, random=random)
    sources = [] if kind is None else [Primary(informer)]
    metrics = ControllerMetrics(CollectorRegistry())
    return Controller(name, Idle(), sources, clock=clock, runtime=runtime, random=random, metrics=metrics)


@pytest.fixture(scope="module")
def controllers() -> list[Controller]:
    made = [controller("builder", Widget), controller("painter", Widget), controller("weather", CLOUDS)]
    made.append(controller("timer", None))
    for each in made[:2]:
        run = Run("1", 0.0, 0.5, 0, (Reason("changed", "widgets.example.com", Key("x", "a"), 1, 2),))
        each.journal.begin(Request(Key("x", "a")), run)
        each.journal.begin(Request(Key("y", "a")), run)
    made[3].journal.begin(Request(Key("", "noon")), Run("2", 0.0, 0.0, 0, ()))
    return made


Get = Callable[..., tuple[int, Any]]


@pytest.fixture
def get(controllers: list[Controller]) -> Iterator[Get]:
    server = DebugServer(ANYWHERE, lambda: controllers, clock=SystemClock(), runtime=ThreadRuntime())
    server.start()

    def ask(query: str, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", server.ports["debug"], timeout=30)
        try:
            connection.request("GET", f"/debug/explain{query}", headers=headers)
            answer = connection.getresponse()
            return answer.status, msgspec.json.decode(answer.read())
        finally:
            connection.close()

    yield ask
    server.stop()


@pytest.mark.parametrize("name", ["widget", "Widget", "widgets", "widgets.example.com", "wd", "WIDGETS"])
def test_kind_is_found_by_each_of_its_names_in_all_controllers_that_have_it(get: Get, name: str) -> None:
    status, page = get(f"?kind={name}&object=x/a")

    assert status == 200
    assert page["kind"] == "Widget"
    assert [(each["controller"], each["object"]) for each in page["controllers"]] == [
        ("builder", "x/a"),
        ("painter", "x/a"),
    ]


def test_controller_is_found_by_its_name_also_when_it_has_no_kind(get: Get) -> None:
    assert [each["controller"] for each in get("?kind=painter&object=x/a")[1]["controllers"]] == ["painter"]
    assert [each["object"] for each in get("?kind=timer&object=noon")[1]["controllers"]] == ["noon"]


def test_name_without_a_namespace_is_looked_for_in_all(get: Get) -> None:
    found = get("?kind=builder&object=a")[1]["controllers"]

    assert [each["object"] for each in found] == ["x/a", "y/a"]


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("?kind=gadget&object=x/a", 404, "no controller here is for 'gadget'; known: Cloud, Widget, timer"),
        ("?kind=wd&object=x/b", 404, "x/b has not been reconciled by builder or painter, or not lately"),
        ("?kind=wd", 400, "say ?kind=KIND&object=NAMESPACE/NAME"),
        ("", 400, "say ?kind=KIND&object=NAMESPACE/NAME"),
    ],
)
def test_question_without_an_answer_is_told_in_one_line(get: Get, query: str, status: int, words: str) -> None:
    found, page = get(query)

    assert found == status
    assert words in page["error"]


@pytest.mark.parametrize("host", ["evil.example.com", "evil.example.com:8090", "10.0.0.1", ""])
def test_request_that_names_another_host_is_refused(get: Get, host: str) -> None:
    assert get("?kind=wd&object=x/a", Host=host)[0] == 403


@pytest.mark.parametrize("host", ["localhost:8090", "127.0.0.1", "[::1]:8090"])
def test_request_that_names_loopback_is_answered(get: Get, host: str) -> None:
    assert get("?kind=wd&object=x/a", Host=host)[0] == 200


@pytest.mark.parametrize("address", [":8090", "0.0.0.0:8090", "[::]:8090", "10.0.0.1:8090", "example.com:8090"])
def test_address_that_others_can_reach_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError, match="not on loopback"):
        DebugServer(address, list, clock=SystemClock(), runtime=ThreadRuntime())


def test_address_that_is_taken_costs_one_warning_and_no_process() -> None:
    first = DebugServer(ANYWHERE, list, clock=SystemClock(), runtime=ThreadRuntime())
    first.start()
    taken = f"127.0.0.1:{first.ports['debug']}"
    second = DebugServer(taken, list, clock=SystemClock(), runtime=ThreadRuntime())

    with structlog.testing.capture_logs() as logs:
        second.start()
    second.stop()
    first.stop()

    assert second.ports == {}
    assert [(log["event"], log["log_level"]) for log in logs] == [("debug_page_not_served", "warning")]
    assert taken in logs[0]["error"]
