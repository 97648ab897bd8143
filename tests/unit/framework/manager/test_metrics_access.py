"""Who may read metrics, by the word of the API server, and for how long it counts."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from framework.client import Client, Connection, HttpRequest, HttpResponse, StaticCredentials
from framework.client.credentials import ClusterAddress
from framework.manager.metrics_access import MetricsAccess
from framework.manager.server import Page, text_page
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

ALICE = {"username": "alice", "uid": "1", "groups": ["readers"], "extra": {"scopes": ["all"]}}


class Reviewer:
    """An API server that knows tokens and readers, and nothing else."""

    def __init__(self) -> None:
        self.users: dict[str, dict[str, Any]] = {"of-alice": ALICE}
        self.readers: set[str] = {"alice"}
        self.is_away = False
        self.asked: list[str] = []
        self.specs: list[dict[str, Any]] = []

    def exchange(self, request: HttpRequest, **_: Any) -> HttpResponse:
        resource = request.target.partition("?")[0].rpartition("/")[2]
        self.asked.append(resource)
        if self.is_away:
            return HttpResponse(403, {}, b'{"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403}')
        spec = msgspec.json.decode(request.body or b"")["spec"]
        self.specs.append(spec)
        return HttpResponse(201, {}, msgspec.json.encode({"metadata": {}, "status": self._status(resource, spec)}))

    def _status(self, resource: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        if resource == "tokenreviews":
            user = self.users.get(spec["token"])
            return {"authenticated": True, "user": user} if user else {"authenticated": False}
        return {"allowed": spec["user"] in self.readers}

    def close(self) -> None:
        pass


class Stage:
    def __init__(self, time: VirtualTime) -> None:
        self.reviewer = Reviewer()
        connection = Connection(
            StaticCredentials(ClusterAddress("https://reviewing")),
            make_transport=lambda _: self.reviewer,
            clock=time.clock,
            runtime=time.runtime,
            random=system_random(),
            user_agent="test",
        )
        access = MetricsAccess(Client(connection), clock=time.clock, runtime=time.runtime)
        self._route = access.guard(lambda _: text_page(200, "metrics\n"))

    def get(self, authorization: str = "", path: str = "/metrics") -> Page:
        headers = {"authorization": authorization} if authorization else {}
        return self._route({**headers, ":path": path})


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def stage(time: VirtualTime) -> Stage:
    return Stage(time)


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer ", "Bearer", "Basic YWxpY2U6YWxpY2U=", "of-alice", f"Bearer {'x' * 20_000}"],
    ids=["none", "empty", "bare", "basic", "without-scheme", "too-long"],
)
def test_nobody_is_asked_about_who_shows_no_token(authorization: str, stage: Stage) -> None:
    page = stage.get(authorization)

    assert (page.status, page.headers) == (401, (("WWW-Authenticate", "Bearer"),))
    assert stage.reviewer.asked == []


def test_token_that_nobody_knows_is_refused(stage: Stage) -> None:
    assert stage.get("Bearer of-mallory").status == 401
    assert stage.reviewer.asked == ["tokenreviews"]


def test_user_without_the_right_is_refused_by_name(stage: Stage) -> None:
    stage.reviewer.readers.clear()

    page = stage.get("Bearer of-alice")

    assert (page.status, page.body) == (403, b"user 'alice' may not get /metrics\n")


def test_reader_is_let_in_with_everything_that_the_token_says_of_him(stage: Stage) -> None:
    assert stage.get("bearer of-alice", "/metrics?name=x").body == b"metrics\n"
    assert stage.reviewer.specs[1] == {
        "user": "alice",
        "uid": "1",
        "groups": ["readers"],
        "extra": {"scopes": ["all"]},
        "nonResourceAttributes": {"path": "/metrics", "verb": "get"},
    }


def test_answers_count_for_their_time_and_no_longer(stage: Stage, time: VirtualTime) -> None:
    for seconds, asked in ((0, ["tokenreviews", "subjectaccessreviews"]), (59, []), (2, ["tokenreviews"])):
        time.advance(seconds)
        stage.reviewer.asked.clear()

        assert stage.get("Bearer of-alice").status == 200
        assert stage.reviewer.asked == asked

    time.advance(300)
    stage.reviewer.asked.clear()
    stage.reviewer.readers.clear()
    assert stage.get("Bearer of-alice").status == 403
    assert stage.reviewer.asked == ["tokenreviews", "subjectaccessreviews"]

    stage.reviewer.readers.add("alice")
    assert stage.get("Bearer of-alice").status == 403
    time.advance(31)
    assert stage.get("Bearer of-alice").status == 200


def test_server_that_does_not_say_lets_nobody_in_and_is_asked_again(stage: Stage) -> None:
    stage.reviewer.is_away = True
    first = stage.get("Bearer of-alice")
    stage.reviewer.is_away = False

    assert first.status == 500
    assert b"of-alice" not in first.body
    assert stage.get("Bearer of-alice").status == 200


def test_what_is_remembered_is_bounded(stage: Stage) -> None:
    for number in range(1100):
        stage.get(f"Bearer made-up-{number}")
    stage.reviewer.asked.clear()

    stage.get("Bearer made-up-1099")
    assert stage.reviewer.asked == []
    stage.get("Bearer made-up-0")
    assert stage.reviewer.asked == ["tokenreviews"]
