"""A controller begins when it has its rights; the others do not wait for it."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
import structlog

from apis.core.v1 import ConfigMap, Pod, Secret
from apis.meta import Request, resource_type_of
from framework.client import Cancellation, Client, Connection, HttpRequest, HttpResponse, StaticCredentials
from framework.client.credentials import ClusterAddress
from framework.controller import ControllerOptions, Primary
from framework.errors import Cancelled, ConnectError
from framework.manager import Manager, ManagerOptions
from framework.randomness import system_random
from framework.reconcile import Result
from framework.rights import Right
from framework.testing.virtual_time import VirtualTime

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
LIST = b'{"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "7"}, "items": []}'


class ReviewingServer:
    """Knows who may what, lists nothing, and never answers a watch."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        # "verb resource" of each right that is not given.
        self.refused: set[str] = set()
        self.review_answer: Callable[[], HttpResponse] | None = None
        self.asked: list[str] = []
        self.followed: list[str] = []

    def exchange(self, request: HttpRequest, *, cancellation: Cancellation | None = None, **_: Any) -> HttpResponse:
        if request.target.startswith(REVIEWS):
            return self._review(request)
        self.followed.append(request.target.partition("?")[0])
        if cancellation is None:
            return HttpResponse(200, {}, LIST)
        ended = self._time.runtime.event()
        cancellation.on_request(ended.set)
        ended.wait()
        raise Cancelled("ended from this side")

    def _review(self, request: HttpRequest) -> HttpResponse:
        if self.review_answer is not None:
            return self.review_answer()
        asked = msgspec.json.decode(request.body or b"")["spec"]["resourceAttributes"]
        self.asked.append(f"{asked['verb']} {asked['resource']}")
        allowed = self.asked[-1] not in self.refused
        return HttpResponse(201, {}, msgspec.json.encode({"metadata": {}, "status": {"allowed": allowed}}))

    def close(self) -> None:
        pass


class Idle:
    def reconcile(self, _request: Request) -> Result:
        return Result.await_change()


class Stage:
    def __init__(self) -> None:
        self.time = VirtualTime()
        self.server = ReviewingServer(self.time)
        connection = Connection(
            StaticCredentials(ClusterAddress("https://reviewing")),
            make_transport=lambda _: self.server,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
            user_agent="test",
        )
        self.manager = Manager(
            Client(connection),
            clock=self.time.clock,
            runtime=self.time.runtime,
            options=ManagerOptions(namespaces=("a",), grace_period_seconds=1.0),
        )

    def add(self, name: str, kind: Any, *rights: Right, declares: bool = True) -> None:
        options = ControllerOptions(rights=rights if declares else None)
        self.manager.add_controller(name, Idle(), [Primary(self.manager.informer(kind))], options)

    def start(self) -> None:
        self.manager.start()
        self.time.wait_until_idle()

    def problem(self, controller: str) -> str | None:
        return self.manager.readiness.problems().get(f"rights/{controller}")

    def follows(self, plural: str) -> bool:
        return f"/api/v1/namespaces/a/{plural}" in self.server.followed

    def stop(self) -> None:
        def stop() -> None:
            self.manager.stop()

        task = self.time.runtime.spawn("stop", stop)
        while task.is_alive():
            self.time.advance(1.0)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.stop()


def test_controller_without_a_right_waits_and_follows_nothing_while_the_other_works(stage: Stage) -> None:
    stage.server.refused = {"watch secrets", "patch secrets"}
    stage.add("secrets", Secret, Right("patch", resource_type_of(Secret)))
    stage.add("pods", Pod, Right("patch", resource_type_of(Pod)))

    stage.start()

    assert stage.follows("pods")
    assert not stage.follows("secrets")
    assert stage.problem("pods") is None
    assert stage.problem("secrets") == (
        "not started: missing rights in namespace 'a': watch secrets, patch secrets; bind a Role that allows them"
    )


def test_missing_rights_are_one_line_in_the_log_however_often_they_are_asked_for(stage: Stage) -> None:
    stage.server.refused = {"patch secrets"}
    stage.add("secrets", Secret, Right("patch", resource_type_of(Secret)))

    with structlog.testing.capture_logs() as logs:
        stage.start()
        stage.time.advance(600)

    assert [log["event"] for log in logs if "rights" in log["event"]] == ["rights_missing"]
    assert stage.server.asked.count("patch secrets") > 5
    # What was seen to be given is not asked for again.
    assert stage.server.asked.count("watch secrets") == 1


def test_controller_begins_when_its_rights_come(stage: Stage) -> None:
    stage.server.refused = {"patch secrets"}
    stage.add("secrets", Secret, Right("patch", resource_type_of(Secret)))
    stage.start()
    followed_before = stage.follows("secrets")

    stage.server.refused = set()
    stage.time.advance(61)

    assert not followed_before
    assert stage.follows("secrets")
    assert stage.problem("secrets") is None


def test_informer_that_another_controller_may_follow_is_not_held_back(stage: Stage) -> None:
    stage.server.refused = {"patch pods"}
    stage.add("writer", Pod, Right("patch", resource_type_of(Pod)))
    stage.add("reader", Pod)

    stage.start()

    assert stage.follows("pods")
    assert stage.problem("writer") is not None
    assert stage.problem("reader") is None


def test_controller_that_declares_nothing_begins_unasked(stage: Stage) -> None:
    stage.server.refused = {"watch pods"}
    stage.add("pods", Pod, declares=False)

    stage.start()

    assert stage.follows("pods")
    assert stage.server.asked == []


def test_optional_right_is_told_once_and_waited_for_by_nobody(stage: Stage) -> None:
    stage.server.refused = {"create configmaps"}
    stage.add("pods", Pod, Right("create", resource_type_of(ConfigMap), is_optional=True))

    with structlog.testing.capture_logs() as logs:
        stage.start()
        stage.time.advance(600)

    assert stage.follows("pods")
    assert stage.problem("pods") is None
    told = [log for log in logs if log["event"] == "optional_rights_missing"]
    assert [log["problem"] for log in told] == [
        "missing rights in namespace 'a': create configmaps; bind a Role that allows them"
    ]


def unreachable() -> HttpResponse:
    raise ConnectError("nobody there")


@pytest.mark.parametrize(
    "answer",
    [unreachable, *[lambda code=code: HttpResponse(code, {}, b"{}") for code in (403, 404, 405, 422)]],
    ids=["unreachable", "403", "404", "405", "422"],
)
def test_server_that_cannot_answer_reviews_stops_nobody(stage: Stage, answer: Callable[[], HttpResponse]) -> None:
    stage.server.review_answer = answer
    stage.add("pods", Pod, Right("patch", resource_type_of(Pod)))

    stage.start()
    stage.time.advance(300)

    assert stage.follows("pods")
    assert stage.problem("pods") is None


def test_controller_added_while_the_manager_runs_waits_as_well(stage: Stage) -> None:
    stage.start()
    stage.server.refused = {"patch pods"}

    stage.add("pods", Pod, Right("patch", resource_type_of(Pod)))
    stage.time.wait_until_idle()

    assert "patch pods" in (stage.problem("pods") or "")


def test_stop_ends_the_waiting(stage: Stage) -> None:
    stage.server.refused = {"patch pods"}
    stage.add("pods", Pod, Right("patch", resource_type_of(Pod)))
    stage.start()

    stage.stop()
    asked = len(stage.server.asked)
    stage.server.refused = set()
    stage.time.advance(600)

    assert len(stage.server.asked) == asked
    assert not stage.follows("pods")


def test_controller_that_is_stopped_while_it_waits_never_begins_and_is_not_missed(stage: Stage) -> None:
    stage.server.refused = {"patch pods"}
    stage.add("pods", Pod, Right("patch", resource_type_of(Pod)))
    stage.start()

    stage.manager.stop_controller("pods")
    problem, asked = stage.problem("pods"), len(stage.server.asked)
    stage.server.refused = set()
    stage.time.advance(600)

    assert problem is None
    assert len(stage.server.asked) == asked
    assert not stage.follows("pods")
