"""Recording: never blocks, never raises, never repeats itself."""

from typing import Any, cast

import pytest

from apis.core.v1 import Pod
from apis.meta import KubeObject, ObjectMeta, PartialObject
from framework.client import Client
from framework.errors import Forbidden, Status
from framework.events import EventRecorder
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

POD = Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="1"))


class FakeClient:
    """Keeps what is created, and fails or hangs when asked to."""

    def __init__(self, time: VirtualTime) -> None:
        self.created: list[dict[str, Any]] = []
        self.failure: Exception | None = None
        self.gate = time.runtime.event()
        self.gate.set()

    def create(self, obj: Any, *, kind: Any) -> None:
        assert kind.name == "events.events.k8s.io"
        self.gate.wait()
        if self.failure is not None:
            raise self.failure
        self.created.append(obj.content)

    @property
    def notes(self) -> list[str]:
        return [content["note"] for content in self.created]


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def client(time: VirtualTime) -> FakeClient:
    return FakeClient(time)


@pytest.fixture
def recorder(time: VirtualTime, client: FakeClient) -> EventRecorder:
    started = EventRecorder(
        cast("Client", client), "widgets", clock=time.clock, runtime=time.runtime, random=system_random()
    )
    started.start()
    return started


def say(recorder: EventRecorder, note: str, *, about: KubeObject = POD, reason: str = "Started") -> None:
    recorder.record(about, "Normal", reason, note, action="Start")


def test_the_first_event_of_a_fresh_process_is_sent(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    say(recorder, "hello")
    time.wait_until_idle()

    assert client.notes == ["hello"]


def test_what_was_said_before_the_start_is_sent_after_it(time: VirtualTime, client: FakeClient) -> None:
    recorder = EventRecorder(
        cast("Client", client), "widgets", clock=time.clock, runtime=time.runtime, random=system_random()
    )
    say(recorder, "early")

    recorder.start()
    time.wait_until_idle()

    assert client.notes == ["early"]


def test_the_same_said_again_within_ten_minutes_is_one_event(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    for _ in range(5):
        say(recorder, "hello")
        time.advance(119)

    assert client.notes == ["hello"]


def test_the_same_said_after_ten_minutes_is_a_new_event(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    say(recorder, "hello")
    time.advance(600)

    say(recorder, "hello")
    time.wait_until_idle()

    assert client.notes == ["hello", "hello"]


def test_another_object_reason_or_note_is_another_event(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    say(recorder, "hello")
    say(recorder, "goodbye")
    say(recorder, "hello", reason="Stopped")
    say(recorder, "hello", about=Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="2")))
    time.wait_until_idle()

    assert len(client.created) == 4


def test_recording_does_not_wait_for_a_server_that_hangs(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    client.gate.clear()

    for number in range(2000):
        say(recorder, str(number))

    client.gate.set()
    time.wait_until_idle()
    # One with the sender, a thousand in the queue, or one more if the sender had not begun.
    assert len(client.created) in {1000, 1001}


def test_what_was_dropped_because_too_much_waited_can_be_said_again(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    client.gate.clear()
    for number in range(2000):
        say(recorder, str(number))
    client.gate.set()
    time.wait_until_idle()

    say(recorder, "1999")
    time.wait_until_idle()

    assert client.notes[-1] == "1999"


@pytest.mark.parametrize("failure", [Forbidden(Status(403, "Forbidden", "no rights")), ValueError("unreadable")])
def test_a_failure_is_not_raised_and_does_not_end_the_recorder(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder, failure: Exception
) -> None:
    client.failure = failure
    say(recorder, "lost")
    time.wait_until_idle()

    client.failure = None
    say(recorder, "sent")
    time.wait_until_idle()

    assert client.notes == ["sent"]


def test_what_could_not_be_sent_is_sent_when_it_is_said_again(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    client.failure = Forbidden(Status(403, "Forbidden", "no rights"))
    say(recorder, "hello")
    time.wait_until_idle()
    client.failure = None

    say(recorder, "hello")
    time.wait_until_idle()

    assert client.notes == ["hello"]


def test_an_object_about_which_no_event_can_be_made_fails_no_reconcile(
    time: VirtualTime, client: FakeClient, recorder: EventRecorder
) -> None:
    say(recorder, "of no known kind", about=PartialObject(metadata=ObjectMeta(name="a")))
    time.wait_until_idle()

    assert client.created == []


def test_a_stop_sends_what_is_pending(time: VirtualTime, client: FakeClient, recorder: EventRecorder) -> None:
    client.gate.clear()
    say(recorder, "first")
    say(recorder, "second")
    client.gate.set()

    recorder.stop()

    assert client.notes == ["first", "second"]
    assert time.blocked() == frozenset()


def test_memory_is_bounded(recorder: EventRecorder) -> None:
    for number in range(5000):
        recorder._remember(cast("Any", number))

    assert len(recorder._said) == 4096
