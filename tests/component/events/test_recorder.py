"""Both kinds of recorder on a server with the rules of Kubernetes, in virtual time."""

from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap, Namespace
from apis.events.v1 import Event
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ADMIN, ApiServer
from framework.client import Client
from framework.events import EventMetrics, EventOptions, EventRecorder
from framework.http.exchange import PeerCertificate
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

CORE_EVENTS = ResourceType(GroupVersionKind("", "v1", "Event"), "events")


class World:
    """A server, and a recorder that writes to it."""

    def __init__(self, *, user: PeerCertificate = ADMIN, **options: Any) -> None:
        self.time = VirtualTime()
        self.server = ApiServer(clock=self.time.clock, runtime=self.time.runtime)
        self.client: Client = in_process_client(self.server)
        self.client.create(Namespace(metadata=ObjectMeta(name="shop")))
        self.config_map = self.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="shop")))
        self._registry = CollectorRegistry()
        self.recorder = EventRecorder(
            in_process_client(self.server, user=user),
            "maps",
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
            metrics=EventMetrics(self._registry),
            options=EventOptions(**options),
        )
        self.recorder.start()

    def say(self, note: str = "hello", *, times: int = 1, about: Any = None) -> None:
        for _ in range(times):
            self.recorder.record(about or self.config_map, "Normal", "Said", note, action="Say")
            self.time.wait_until_idle()

    def events(self, namespace: str = "shop") -> list[Event]:
        return self.client.list(Event, namespace)

    def core_events(self, namespace: str = "shop") -> list[dict[str, Any]]:
        found: list[Unstructured] = self.client.list(CORE_EVENTS, namespace)
        return [each.content for each in found]

    def metric(self, name: str, reason: str = "") -> float:
        labels = {"controller": "maps", **({"reason": reason} if reason else {})}
        return self._registry.get_sample_value(f"windlass_events_{name}_total", labels) or 0.0


@pytest.fixture
def world() -> Callable[..., World]:
    return World


def test_a_series_is_counted_and_its_end_written(world: Callable[..., World]) -> None:
    here = world()
    here.say(times=5)

    (before,) = here.events()
    here.time.advance(360)
    (after,) = here.events()

    assert before.series is not None
    assert after.series is not None
    assert (before.series.count, after.series.count) == (2, 5)
    assert after.series.last_observed_time == "2026-01-01T00:00:00.000000Z"
    assert (here.metric("created"), here.metric("patched")) == (1, 2)


def test_an_event_that_is_created_late_has_its_series_from_the_start(world: Callable[..., World]) -> None:
    here = world()
    here.say()
    (first,) = here.events()
    here.client.delete(Event, first.metadata.key)

    here.say()

    (again,) = here.events()
    assert again.series is not None
    assert again.series.count == 2
    assert again.metadata.name == first.metadata.name


def test_similar_notes_are_combined(world: Callable[..., World]) -> None:
    here = world()
    for number in range(20):
        here.say(f"note {number}")
    here.recorder.stop()

    events = here.events()

    combined = [event for event in events if event.note.startswith("(combined from similar events): ")]
    assert len(events) == 10
    assert [event.series.count for event in combined if event.series] == [11]


def test_core_events_are_counted_and_filtered(world: Callable[..., World]) -> None:
    here = world(api_version="v1")
    here.say(times=40)

    (event,) = here.core_events()
    assert event["count"] == 25
    assert event["source"] == {"component": "windlass/maps"}
    assert here.metric("dropped", "spam") == 15


def test_core_events_that_are_similar_are_combined(world: Callable[..., World]) -> None:
    here = world(api_version="v1")
    for number in range(15):
        here.say(f"note {number}")

    messages = [event["message"] for event in here.core_events()]
    assert len(messages) == 10
    assert "(combined from similar events): note 14" in messages


@pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "v1"])
def test_an_event_about_a_namespace_is_in_the_namespace_default(world: Callable[..., World], api_version: str) -> None:
    here = world(api_version=api_version)
    here.say(about=here.client.get(Namespace, Key("", "shop")))

    (event,) = here.events("default")
    assert event.regarding.name == "shop"


@pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "v1"])
def test_a_terminating_namespace_gets_no_events_and_the_recorder_goes_on(
    world: Callable[..., World], api_version: str
) -> None:
    here = world(api_version=api_version)
    here.client.delete(Namespace, Key("", "shop"))
    here.say(times=3)

    here.say(about=here.client.get(Namespace, Key("", "shop")))

    assert here.events() == []
    assert len(here.events("default")) == 1
    assert here.metric("failed", "namespace_terminating") == 1
    assert here.metric("lost", "namespace_terminating") == 0


@pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "v1"])
def test_a_namespace_that_is_not_there_is_counted(world: Callable[..., World], api_version: str) -> None:
    here = world(api_version=api_version)
    here.say(about=ConfigMap(metadata=ObjectMeta(name="a", namespace="gone", uid="1")))

    assert here.metric("failed", "namespace_not_found") == 1


@pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "v1"])
def test_an_event_that_may_not_be_written_is_counted_as_lost(world: Callable[..., World], api_version: str) -> None:
    here = world(user=PeerCertificate("nobody", ()), api_version=api_version)
    here.say()

    assert here.metric("failed", "rejected") == here.metric("lost", "rejected") == 1


@pytest.mark.parametrize("api_version", ["events.k8s.io/v1", "v1"])
def test_the_server_accepts_the_longest_of_everything(world: Callable[..., World], api_version: str) -> None:
    here = world(api_version=api_version)
    about = ConfigMap(metadata=ObjectMeta(name="a" * 253, namespace="shop", uid="1"))

    here.recorder.record(about, "Warning", "R" * 200, "ä" * 2000, action="A" * 200, related=here.config_map)
    here.time.wait_until_idle()

    (event,) = here.events()
    assert len(event.note.encode()) == 1024
    assert event.related is not None
    assert event.related.name == "a"
