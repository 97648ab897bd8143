"""Both kinds of recorder on the real API server, read with kubectl."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap, Namespace
from apis.meta import Key, ObjectMeta
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.events import EventMetrics, EventOptions, EventRecorder
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from framework.testing.relay import Fault, Match, Relay, ResetBefore, Respond, RespondAfterApply, Stall

both_versions = pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "v1"])
CREATES = Match(method="POST", path="/events$")
PATCHES = Match(method="PATCH", path="/events/")
LIMIT_SECONDS = 30.0


class Speaker:
    """A recorder, the object it speaks about, and the numbers it shows."""

    def __init__(self, client: Client, about: ConfigMap, options: EventOptions) -> None:
        self._registry = CollectorRegistry()
        self.about = about
        self.recorder = EventRecorder(
            client,
            "maps",
            instance="here",
            clock=SystemClock(),
            runtime=ThreadRuntime(),
            random=system_random(),
            metrics=EventMetrics(self._registry),
            options=options,
        )
        self.recorder.start()

    def say(self, note: str = "hello", *, times: int = 1) -> None:
        for _ in range(times):
            self.recorder.record(self.about, "Warning", "Said", note, action="Say")

    def metric(self, name: str, reason: str = "") -> float:
        labels = {"controller": "maps", **({"reason": reason} if reason else {})}
        return self._registry.get_sample_value(f"windlass_events_{name}_total", labels) or 0.0

    def wait_for(self, name: str, value: float, reason: str = "") -> None:
        assert wait_until(lambda: self.metric(name, reason) >= value, limit_seconds=LIMIT_SECONDS)


@pytest.fixture
def about(client: Client, namespace: str) -> Iterator[ConfigMap]:
    """An object that keeps its namespace from going away before the test is over."""
    metadata = ObjectMeta(name="a", namespace=namespace, finalizers=["windlass.test/kept"])
    yield client.create(ConfigMap(metadata=metadata))
    client.merge_patch(ConfigMap, Key(namespace, "a"), {"metadata": {"finalizers": None}})


@pytest.fixture
def new_speaker(client: Client, about: ConfigMap) -> Iterator[Callable[..., Speaker]]:
    made: list[Speaker] = []

    def make(through: Client | None = None, **options: Any) -> Speaker:
        made.append(Speaker(through or client, about, EventOptions(**options)))
        return made[-1]

    yield make
    for speaker in made:
        speaker.recorder.stop(LIMIT_SECONDS)


@pytest.fixture
def new_relayed_speaker(
    relay: Relay, control_plane: ControlPlane, tmp_path: Path, new_speaker: Callable[..., Speaker]
) -> Iterator[Callable[..., Speaker]]:
    """Makes speakers whose every byte passes the relay."""
    client = connect(from_kubeconfig(str(relay.kubeconfig(tmp_path, control_plane.token)), clock=SystemClock()))
    yield partial(new_speaker, client)
    client.connection.close()


@pytest.fixture
def events(kubectl: Any, namespace: str) -> Callable[[], list[dict[str, Any]]]:
    def get() -> list[dict[str, Any]]:
        shown = kubectl("get", "events.v1.events.k8s.io", "-n", namespace, "-o", "json", check=True).stdout
        return list(json.loads(shown)["items"])

    return get


def count_of(event: dict[str, Any]) -> int:
    return int(event["series"]["count"] if "series" in event else event.get("deprecatedCount", 1))


@both_versions
def test_kubectl_shows_the_event_and_how_often_it_came(
    new_speaker: Any, kubectl: Any, namespace: str, api_version: str
) -> None:
    speaker = new_speaker(api_version=api_version)
    speaker.say("the disk is full")
    speaker.wait_for("created", 1)
    speaker.say("the disk is full", times=6)
    speaker.recorder.stop(LIMIT_SECONDS)

    listed = kubectl("get", "events", "-n", namespace, check=True).stdout
    described = kubectl("describe", "configmap", "a", "-n", namespace, check=True).stdout

    assert all(word in listed for word in ("Warning", "Said", "configmap/a", "the disk is full"))
    assert all(word in described for word in ("Warning", "Said", "(x7 over", "the disk is full", "windlass/maps"))


@both_versions
def test_one_event_is_counted_to_the_end(new_speaker: Any, events: Any, api_version: str) -> None:
    speaker = new_speaker(api_version=api_version)
    speaker.say()
    speaker.wait_for("created", 1)
    speaker.say(times=9)
    speaker.wait_for("patched", 1)
    speaker.recorder.stop(LIMIT_SECONDS)

    (event,) = events()

    assert count_of(event) == 10


def test_a_series_is_written_when_it_is_over(new_speaker: Any, events: Any) -> None:
    speaker = new_speaker(finish_seconds=1.0)
    speaker.say()
    speaker.wait_for("created", 1)
    speaker.say()
    speaker.wait_for("patched", 1)
    speaker.say(times=3)

    speaker.wait_for("patched", 2)

    assert [count_of(event) for event in events()] == [5]


@both_versions
def test_many_similar_notes_are_ten_events(new_speaker: Any, events: Any, api_version: str) -> None:
    speaker = new_speaker(api_version=api_version)
    for number in range(20):
        speaker.say(f"note {number}")
    speaker.recorder.stop(LIMIT_SECONDS)

    notes = [event["note"] for event in events()]

    assert len(notes) == 10
    assert sum(note.startswith("(combined from similar events): ") for note in notes) == 1


@both_versions
def test_an_event_that_somebody_deleted_comes_again_with_its_count(
    new_speaker: Any, events: Any, kubectl: Any, namespace: str, api_version: str
) -> None:
    speaker = new_speaker(api_version=api_version)
    speaker.say()
    speaker.wait_for("created", 1)
    kubectl("delete", "events", "--all", "-n", namespace, check=True)

    speaker.say()
    speaker.wait_for("created", 2)

    assert [count_of(event) for event in events()] == [2]


@both_versions
def test_a_terminating_namespace_is_given_up_quietly(
    new_speaker: Any, events: Any, client: Client, namespace: str, api_version: str
) -> None:
    speaker = new_speaker(api_version=api_version)
    client.delete(Namespace, Key("", namespace))

    speaker.say(times=5)

    speaker.wait_for("failed", 1, "namespace_terminating")
    assert events() == []
    assert speaker.metric("lost", "namespace_terminating") == 0


@both_versions
def test_a_namespace_that_is_not_there_is_given_up_quietly(client: Client, api_version: Any) -> None:
    nowhere = ConfigMap(metadata=ObjectMeta(name="a", namespace="nowhere", uid="1"))
    speaker = Speaker(client, nowhere, EventOptions(api_version=api_version))

    speaker.say()

    speaker.wait_for("failed", 1, "namespace_not_found")
    speaker.recorder.stop(LIMIT_SECONDS)


@pytest.mark.parametrize(
    "fault",
    [
        Respond(500, "InternalError"),
        Respond(503, "ServiceUnavailable"),
        ResetBefore(),
        RespondAfterApply(),
        RespondAfterApply(Respond(500, "InternalError")),
    ],
    ids=["500", "503", "reset", "reset-after-the-deed", "500-after-the-deed"],
)
@both_versions
def test_no_fault_costs_or_doubles_an_event_or_a_count(
    new_relayed_speaker: Any, relay: Relay, events: Any, fault: Any, api_version: str
) -> None:
    create, patch = relay.inject(Fault(CREATES, fault)), relay.inject(Fault(PATCHES, fault))
    speaker = new_relayed_speaker(api_version=api_version, first_retry_seconds=0.05)
    speaker.say()
    create.wait()
    assert wait_until(lambda: len(events()) == 1, limit_seconds=LIMIT_SECONDS)
    speaker.say()
    patch.wait()
    speaker.wait_for("patched", 1)
    speaker.recorder.stop(LIMIT_SECONDS)

    assert [count_of(event) for event in events()] == [2]
    assert speaker.metric("failed", "shutdown") == 0


def test_a_server_that_hangs_holds_up_neither_the_speaker_nor_the_stop(new_relayed_speaker: Any, relay: Relay) -> None:
    stalled = relay.inject(Fault(CREATES, Stall(before_headers=True), times=None))
    speaker = new_relayed_speaker()
    clock = SystemClock()
    speaker.say("under way")
    stalled.wait()

    begin = clock.monotonic()
    speaker.say("pending", times=2000)
    speaker.recorder.stop(0.5)

    assert clock.monotonic() - begin < LIMIT_SECONDS / 2
    assert speaker.metric("failed", "shutdown") == 2
    assert speaker.metric("lost", "shutdown") == 1
    relay.release()
