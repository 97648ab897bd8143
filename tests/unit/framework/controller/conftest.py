"""A controller in virtual time, with a reconciler that is a plain function."""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import pytest
import structlog
from prometheus_client import CollectorRegistry

from apis.meta import Key, Request
from framework.client import Fence
from framework.controller import Controller, ControllerMetrics, ControllerOptions, Source, Turn, attempts
from framework.informers import HandlerRegistration
from framework.journal import JournalOptions
from framework.randomness import system_random
from framework.reconcile import Result
from framework.testing.virtual_time import VirtualTime
from framework.workqueue import WorkQueue, WorkQueueMetrics

LogEntry = MutableMapping[str, Any]


class Bench:
    """Everything a test of a controller looks at."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.registry = CollectorRegistry()
        self._metrics = ControllerMetrics(self.registry)
        self._queue_metrics = WorkQueueMetrics(self.registry)
        self._controllers: list[Controller] = []
        # Name and virtual second of every call.
        self.calls: list[tuple[str, float]] = []

    def controller(
        self,
        reconcile: Callable[[Request], Any] = lambda _: Result.await_change(),
        *,
        name: str = "widgets",
        sources: tuple[Source, ...] = (),
        workers: int = 1,
        timeout: float | None = None,
        turn: Turn | None = None,
        start: bool = True,
        journal: JournalOptions | None = None,
    ) -> Controller:
        bench = self

        class Reconciler:
            def reconcile(self, request: Request) -> Any:
                bench.calls.append((request.name, bench.time.clock.monotonic()))
                return reconcile(request)

        controller = Controller(
            name,
            Reconciler(),
            sources,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=system_random(),
            options=ControllerOptions(max_concurrent_reconciles=workers, reconcile_timeout_seconds=timeout),
            metrics=self._metrics,
            queue_metrics=self._queue_metrics,
            journal=journal,
        )
        self._controllers.append(controller)
        if start:
            controller.watch()
            controller.start(turn)
            self.time.wait_until_idle()
        return controller

    def turn(self, *, is_set: bool = False) -> "HandTurn":
        return HandTurn(self.time, is_set=is_set)

    def source(self) -> "HandSource":
        return HandSource(self.time)

    def enqueue(self, controller: Controller, *names: str) -> None:
        for name in names:
            controller.enqueue(Request(Key("default", name)))
        self.time.wait_until_idle()

    def value(self, metric: str, controller: str = "widgets", **labels: str) -> float | None:
        name = f"controller_runtime_{metric}"
        return self.registry.get_sample_value(name, {"controller": controller, **labels})

    def stop(self) -> None:
        for controller in self._controllers:
            controller.request_stop()
        # Workers that wait for their turn look at the stop every half second.
        self.time.advance(2)


class HandFence(Fence):
    """Over when the test says so."""

    explanation = "the test has ended the turn"


class HandTurn:
    """A turn that begins and ends when the test says so."""

    def __init__(self, time: VirtualTime, *, is_set: bool) -> None:
        self._time = time
        self._is_set = time.runtime.event()
        self._fence = HandFence(time.runtime)
        if is_set:
            self._is_set.set()

    def set(self) -> None:
        self._fence = HandFence(self._time.runtime)
        self._is_set.set()

    def clear(self) -> None:
        self._is_set.clear()
        self._fence.request()

    def wait(self, timeout: float | None = None) -> bool:
        return self._is_set.wait(timeout)

    def fence(self) -> Fence | None:
        return self._fence if self._is_set.is_set() else None


class HandSource:
    """A source whose initial list is complete when the test says so."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self.registration: HandlerRegistration[Any] | None = None
        self.detached: list[HandlerRegistration[Any]] = []
        self.resynced: list[HandlerRegistration[Any]] = []

    def attach(self, queue: WorkQueue[Request], name: str) -> HandlerRegistration[Any]:
        handler = _Enqueue(queue)
        self.registration = HandlerRegistration(name, handler, runtime=self._time.runtime, clock=self._time.clock)
        self.registration.start()
        return self.registration

    def detach(self, registration: HandlerRegistration[Any]) -> None:
        self.detached.append(registration)
        registration.stop()

    def resync(self, registration: HandlerRegistration[Any]) -> None:
        self.resynced.append(registration)

    @property
    def informer(self) -> None:
        return None

    def deliver(self, *changes: Any, is_complete: bool = False) -> None:
        assert self.registration is not None
        self.registration.deliver(changes, completes_initial=is_complete)
        self._time.wait_until_idle()


class _Enqueue:
    def __init__(self, queue: WorkQueue[Request]) -> None:
        self._queue = queue

    def on_change(self, change: Any) -> None:
        self._queue.add(Request(change.key))


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.stop()


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> list[LogEntry]:
    """What a controller says about its reconciles, with what is bound at that moment."""
    capture = structlog.testing.LogCapture()
    processors: list[structlog.typing.Processor] = [structlog.contextvars.merge_contextvars, capture]
    monkeypatch.setattr(attempts, "_log", structlog.wrap_logger(None, processors=processors))
    return capture.entries
