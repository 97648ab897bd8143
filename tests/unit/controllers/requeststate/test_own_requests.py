"""The requests that a director creates itself."""

from typing import Any, cast

import msgspec
import pytest

from apis.meta import Key
from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.flow import JOBS_ANNOTATION, Flow
from controllers.requeststate.own_requests import OwnRequests, Progress
from framework.errors import ConfigurationError
from framework.runtime import Event
from framework.testing.virtual_time import VirtualTime
from tests.unit.controllers.requeststate.builders import NOW, FakeServer, a_change, a_request


class Own:
    """The requests *names*, and what was shown of them."""

    def __init__(self, server: FakeServer, *names: str) -> None:
        self.time = VirtualTime()
        self.shown: list[Progress] = []
        self.stop: Event = self.time.runtime.event()
        self.requests = OwnRequests(
            names,
            "default",
            Flow.parse("JOB1,JOB2"),
            client=cast("Any", server),
            clock=self.time.clock,
            runtime=self.time.runtime,
            on_progress=self.shown.append,
        )

    def create(self) -> None:
        self.requests.create_missing(self.stop)

    def see(self, request: RequestState | None) -> None:
        self.requests.on_change(a_change(a_request(), request))


def with_condition_of(request: RequestState, condition_type: str, message: str = "") -> RequestState:
    condition = {
        "type": condition_type,
        "status": "True",
        "reason": "R",
        "message": message,
        "lastTransitionTime": NOW.isoformat(),
    }
    whole = msgspec.to_builtins(request)
    return msgspec.convert({**whole, "status": {"conditions": [condition]}}, RequestState)


def test_requests_are_created_with_their_name_for_an_identity_and_their_flow() -> None:
    server = FakeServer()

    Own(server, "one", "two").create()

    created = server.get(Key("default", "one"))
    assert (created.spec.request_uid, created.spec.job, created.spec.state) == ("one", "JOB1", State.REQUESTED)
    assert created.metadata.annotations == {JOBS_ANNOTATION: "JOB1,JOB2"}
    assert server.writes == ["create one", "create two"]


@pytest.mark.parametrize("fault", ["fail_before", "fail_after"])
def test_a_creation_that_fails_or_whose_answer_is_lost_is_made_up_for_by_the_next_call(fault: str) -> None:
    server = FakeServer()
    getattr(server, fault).add(2)
    own = Own(server, "one", "two", "three")

    own.create()
    own.create()

    assert sorted(key.name for key in server.objects) == ["one", "three", "two"]
    assert server.writes == ["create one", "create two", "create two", "create three"]


def test_nothing_more_is_created_once_the_process_stops() -> None:
    server = FakeServer()
    own = Own(server, "one")

    own.stop.set()
    own.create()

    assert server.writes == []


def test_a_request_of_the_same_identity_is_adopted() -> None:
    server = FakeServer(a_request("JOB2"))

    Own(server, "request").create()

    assert server.request.spec.job == "JOB2"


def test_a_request_of_another_identity_is_refused() -> None:
    foreign = a_request()
    foreign = msgspec.structs.replace(foreign, spec=msgspec.structs.replace(foreign.spec, request_uid="another"))
    server = FakeServer(foreign)

    with pytest.raises(ConfigurationError, match="belongs to request 'another'; choose another -name"):
        Own(server, "request").create()


def test_each_transition_is_shown_once_with_the_time_since_the_creation() -> None:
    server = FakeServer()
    own = Own(server, "request")
    own.create()
    own.time.advance(2.5)

    for state in (State.REQUESTED, State.STARTED, State.STARTED):
        own.see(a_request(state=state))

    assert [(each.state, each.elapsed_seconds) for each in own.shown] == [("REQUESTED", 2.5), ("STARTED", 2.5)]


def test_requests_of_others_are_not_shown() -> None:
    own = Own(FakeServer(), "mine")

    own.see(a_request())

    assert own.shown == []


def test_all_are_over_when_each_is_complete() -> None:
    own = Own(FakeServer(), "request")
    assert own.requests.unfinished == 1

    own.see(with_condition_of(a_request("JOB2", State.COMPLETED), "Complete"))

    assert own.requests.wait_until_over(0.0)
    assert not own.requests.has_failures


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_request_that_failed_or_was_deleted_is_a_failure(*, is_deleted: bool) -> None:
    own = Own(FakeServer(), "request")

    own.see(None if is_deleted else with_condition_of(a_request(state=State.FAILED), "Failed", "no luck"))

    assert own.requests.wait_until_over(0.0)
    assert own.requests.has_failures
    assert own.shown[-1].message == ("it was deleted" if is_deleted else "no luck")
