"""A recorder in virtual time, and the server it writes to."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from prometheus_client import CollectorRegistry

from apis.core.v1 import Pod
from apis.meta import Key, KubeObject, ObjectMeta
from framework.client import Client
from framework.errors import AlreadyExists, NotFound, Status
from framework.events import EventMetrics, EventOptions, EventRecorder
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

POD = Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="1", resource_version="5"))


class FakeServer:
    """Keeps events; fails, forgets or hangs when asked to."""

    def __init__(self, time: VirtualTime) -> None:
        self.events: dict[str, dict[str, Any]] = {}
        self.writes: list[str] = []
        # Raised one after the other, then no more; a None is a success.
        self.failures: Iterator[Exception | None] = iter(())
        # Raised after the deed.
        self.lost_answers: Iterator[Exception | None] = iter(())
        self.gate = time.runtime.event()
        self.gate.set()

    def create(self, obj: Any, *, kind: Any) -> None:
        self._enter("create")
        if obj.metadata.name in self.events:
            raise AlreadyExists(Status(409, "AlreadyExists"))
        self.events[obj.metadata.name] = {"api": kind.gvk.api_version, **obj.content}
        self._leave()

    def merge_patch(self, kind: Any, key: Key, patch: dict[str, Any]) -> None:
        self._enter("patch")
        assert kind.plural == "events"
        if key.name not in self.events:
            raise NotFound(Status(404, "NotFound"))
        self.events[key.name].update(patch)
        self._leave()

    @property
    def notes(self) -> list[str]:
        return [event.get("note") or event["message"] for event in self.events.values()]

    @property
    def counts(self) -> list[int]:
        return [event["count"] if "count" in event else _series_count(event) for event in self.events.values()]

    def _enter(self, verb: str) -> None:
        self.writes.append(verb)
        self.gate.wait()
        _raise_next(self.failures)

    def _leave(self) -> None:
        _raise_next(self.lost_answers)


def _series_count(event: dict[str, Any]) -> int:
    return int(event["series"]["count"]) if "series" in event else 1


def _raise_next(failures: Iterator[Exception | None]) -> None:
    failure = next(failures, None)
    if failure is not None:
        raise failure


class Speaker:
    """A recorder under test, with the numbers it shows."""

    def __init__(self, recorder: EventRecorder, registry: CollectorRegistry) -> None:
        self.recorder = recorder
        self._registry = registry

    def say(
        self,
        note: str = "hello",
        *,
        about: KubeObject = POD,
        reason: str = "Started",
        kind: str = "Normal",
        **more: Any,
    ) -> None:
        self.recorder.record(about, cast("Any", kind), reason, note, **{"action": "Start", **more})

    def metric(self, name: str, reason: str = "") -> float:
        labels = {"controller": "widgets", **({"reason": reason} if reason else {})}
        return self._registry.get_sample_value(f"windlass_events_{name}_total", labels) or 0.0


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def server(time: VirtualTime) -> FakeServer:
    return FakeServer(time)


@pytest.fixture
def new_speaker(time: VirtualTime, server: FakeServer) -> Callable[..., Speaker]:
    def make(**options: Any) -> Speaker:
        registry = CollectorRegistry()
        recorder = EventRecorder(
            cast("Client", server),
            "widgets",
            clock=time.clock,
            runtime=time.runtime,
            random=system_random(),
            metrics=EventMetrics(registry),
            options=EventOptions(**options),
        )
        return Speaker(recorder, registry)

    return make


@pytest.fixture
def speaker(new_speaker: Callable[..., Speaker]) -> Speaker:
    """One that was started."""
    speaker = new_speaker()
    speaker.recorder.start()
    return speaker


@pytest.fixture
def core_speaker(new_speaker: Callable[..., Speaker]) -> Speaker:
    """One that was started and writes v1."""
    speaker = new_speaker(api_version="v1")
    speaker.recorder.start()
    return speaker


@pytest.fixture
def pod() -> Callable[..., Pod]:
    def make(name: str = "web", **metadata: Any) -> Pod:
        return Pod(metadata=ObjectMeta(name=name, **{"namespace": "shop", "uid": name, **metadata}))

    return make
