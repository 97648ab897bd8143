"""An informer behind the relay, and a handler that writes down what it hears."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry

from apis.core.v1 import Secret
from apis.meta import Key, KubeObject, ObjectMeta
from framework.client import Client, Kind, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.informers import HandlerRegistration, InformerMetrics, InformerOptions, SharedInformer
from framework.randomness import system_random
from framework.runtime import Event, ThreadRuntime
from framework.store import Change
from framework.testing.relay import Match, Relay, SeenRequest

T = TypeVar("T", bound=KubeObject)

# Watched in most tests: nobody but the test makes Secrets in its namespace.
PATH = "/secrets$"
LIST = Match(path=PATH, query={"watch": None})
WATCH = Match(path=PATH, query={"watch": "true", "sendInitialEvents": None})
WATCH_LIST = Match(path=PATH, query={"watch": "true", "sendInitialEvents": "true"})
LIMIT_SECONDS = 30.0
_HURRY = 0.05


class HurriedEvent:
    def __init__(self, event: Event, pauses: list[float]) -> None:
        self._event = event
        self._pauses = pauses

    def is_set(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        self._event.set()

    def clear(self) -> None:
        self._event.clear()

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is None:
            return self._event.wait()
        self._pauses.append(timeout)
        return self._event.wait(timeout * _HURRY)


class HurriedRuntime(ThreadRuntime):
    """Pauses take a twentieth of their time, and are written down in full."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def event(self) -> Event:
        return HurriedEvent(super().event(), self.pauses)


class Recorder:
    """A handler that remembers changes, and lets a test wait for them."""

    def __init__(self) -> None:
        self._arrived = ThreadRuntime().condition()
        self.changes: list[Change[Any]] = []

    def on_change(self, change: Change[Any]) -> None:
        with self._arrived:
            self.changes.append(change)
            self._arrived.notify_all()

    @property
    def texts(self) -> list[str]:
        """`+a` for a creation, `~a` for a change, `-a` for a deletion."""
        return [_text(change) for change in list(self.changes)]

    def old(self, number: int) -> Any:
        """The object before change *number*."""
        return self.changes[number].old

    def new(self, number: int) -> Any:
        return self.changes[number].new

    def wait_for(self, *texts: str) -> None:
        """Wait until as many changes as *texts* have come; they must be these, in this order."""
        self.wait_until(lambda: len(self.changes) >= len(texts))
        assert self.texts == list(texts)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        clock = SystemClock()
        end = clock.monotonic() + LIMIT_SECONDS
        with self._arrived:
            while not condition():
                left = end - clock.monotonic()
                assert left > 0, f"did not come; seen: {self.texts}"
                self._arrived.wait(min(left, 0.05))


class Observed:
    """One informer of one namespace through the relay."""

    def __init__(
        self, kind: Kind[Any], client: Client, relay: Relay, options: InformerOptions, handler: Recorder | None = None
    ) -> None:
        self.relay = relay
        self.runtime = HurriedRuntime()
        self.registry = CollectorRegistry()
        self.recorder = handler or Recorder()
        self.informer: SharedInformer[Any] = SharedInformer(
            kind,
            client=client,
            clock=SystemClock(),
            runtime=self.runtime,
            random=system_random(),
            options=options,
            metrics=InformerMetrics(self.registry),
        )
        self.registration: HandlerRegistration[Any] = self.informer.add_handler(self.recorder)

    def start(self) -> "Observed":
        self.informer.start()
        return self

    def synced(self) -> "Observed":
        """Start, and wait until the handler has seen the initial state and a watch is open."""
        self.start()
        self.wait_until(lambda: self.registration.has_synced and self.informer.problem is None)
        self.relay.wait_for(lambda request: is_watch(request) and request.status == 200)
        return self

    def wait_until(self, condition: Callable[[], bool]) -> None:
        self.recorder.wait_until(condition)

    @property
    def cached(self) -> set[str]:
        return {one.metadata.name for one in self.informer.lister.list()}

    @property
    def lists(self) -> list[SeenRequest]:
        return [request for request in self.relay.requests if not is_watch(request)]

    @property
    def watches(self) -> list[SeenRequest]:
        """Those without an initial state."""
        return [request for request in self.relay.requests if is_watch(request) and not is_watch_list(request)]

    @property
    def watch_lists(self) -> list[SeenRequest]:
        return [request for request in self.relay.requests if is_watch_list(request)]

    def failures(self, reason: str) -> float:
        samples = [sample for metric in self.registry.collect() for sample in metric.samples]
        return sum(
            sample.value
            for sample in samples
            if sample.name == "windlass_reflector_failures_total" and sample.labels["reason"] == reason
        )


class Writer:
    """Writes Secrets past the relay."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self.namespace = namespace

    def create(self, name: str, **metadata: Any) -> Secret:
        made = ObjectMeta(name=name, namespace=self.namespace, **metadata)
        return self._client.create(Secret(metadata=made))

    def annotate(self, name: str, value: str) -> Secret:
        patch = {"metadata": {"annotations": {"value": value}}}
        return self._client.merge_patch(Secret, Key(self.namespace, name), patch)

    def label(self, name: str, value: str) -> Secret:
        return self._client.merge_patch(Secret, Key(self.namespace, name), {"metadata": {"labels": {"value": value}}})

    def delete(self, name: str) -> None:
        self._client.delete(Secret, Key(self.namespace, name))

    def version(self) -> int:
        """A version of Secrets that the server has reached, newer than all written before."""
        page = self._client.list_page(Secret, self.namespace, {})
        return int(page.metadata.resource_version)


def client_through(relay: Relay, folder: Any, token: str, runtime: HurriedRuntime | None = None) -> Client:
    kubeconfig = relay.kubeconfig(folder, token)
    return connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()), runtime=runtime or HurriedRuntime())


def is_watch(request: SeenRequest) -> bool:
    return request.query.get("watch") == "true"


def is_watch_list(request: SeenRequest) -> bool:
    return "sendInitialEvents" in request.query


def versions(requests: Sequence[SeenRequest]) -> list[str | None]:
    return [request.query.get("resourceVersion") for request in requests]


def _text(change: Change[Any]) -> str:
    sign = "~"
    if change.old_entry is None:
        sign = "+"
    elif change.new_entry is None:
        sign = "-"
    return f"{sign}{change.key.name}"
