"""Start, stop and what may be added in between; the API server is one that never answers a watch."""

import http.client
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Pod
from apis.meta import Key, Request, resource_type_of
from framework.client import Cancellation, Client, Connection, HttpRequest, HttpResponse, StaticCredentials
from framework.client.credentials import ClusterAddress
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Primary
from framework.errors import Cancelled, ConfigurationError
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager, ManagerOptions
from framework.randomness import system_random
from framework.reconcile import Result
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until

ANYWHERE = "127.0.0.1:0"
LIMIT_SECONDS = 30.0
REQUEST = Request(Key("default", "a"))


class SilentTransport:
    """Accepts every request and answers none, until it is cancelled."""

    def __init__(self) -> None:
        self.requests: list[HttpRequest] = []

    def exchange(self, request: HttpRequest, *, cancellation: Cancellation | None = None, **_: Any) -> HttpResponse:
        self.requests.append(request)
        if cancellation is not None:
            ended = ThreadRuntime().event()
            cancellation.on_request(ended.set)
            ended.wait(LIMIT_SECONDS)
        raise Cancelled("ended from this side")

    def close(self) -> None:
        pass


class Function:
    """A reconciler that is a function."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function

    def reconcile(self, _request: Request) -> Result:
        self._function()
        return Result.await_change()


class Ignored:
    """A source that never delivers anything, and tells when it is attached."""

    def __init__(self, on_attach: Callable[[], object]) -> None:
        self._on_attach = on_attach
        self.is_detached = False

    def attach(self, _queue: Any, _name: str) -> Any:
        self._on_attach()
        return NeverSynced()

    def detach(self, _registration: Any) -> None:
        self.is_detached = True

    def resync(self, _registration: Any) -> None:
        pass

    informer = None


class NeverSynced:
    has_synced = False

    def wait_for_sync(self, timeout: float) -> bool:
        ThreadRuntime().event().wait(min(timeout, 0.05))
        return False


Make = Callable[..., Manager]


@pytest.fixture
def transport() -> SilentTransport:
    return SilentTransport()


@pytest.fixture
def make(transport: SilentTransport) -> Iterator[Make]:
    made: list[Manager] = []

    def go(**options: Any) -> Manager:
        connection = Connection(
            StaticCredentials(ClusterAddress("https://silent")),
            make_transport=lambda _: transport,
            clock=SystemClock(),
            runtime=ThreadRuntime(),
            random=system_random(),
            user_agent="test",
        )
        made.append(Manager(Client(connection), options=ManagerOptions(**{"grace_period_seconds": 5, **options})))
        return made[-1]

    yield go
    for manager in made:
        manager.stop()


def status_of(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_probes_are_served_before_informers_run_and_informers_run_before_controllers_attach(make: Make) -> None:
    manager = make(health_address=ANYWHERE)
    informer = manager.informer(Pod)
    seen: list[object] = []

    def look() -> None:
        seen.append((status_of(manager.ports["health"], "/healthz"), informer.is_running))

    assert not informer.is_running
    manager.add_controller("widgets", Function(list), [Ignored(look)])

    manager.start()

    assert seen == [(200, True)]


def test_when_an_address_is_taken_nothing_else_is_started(make: Make, transport: SilentTransport) -> None:
    first = make(health_address=ANYWHERE)
    first.start()
    manager = make(health_address=ANYWHERE, metrics_address=f"127.0.0.1:{first.ports['health']}")
    manager.informer(Pod)

    with pytest.raises(ConfigurationError, match=r"metrics address .* Address already in use"):
        manager.start()

    # The probe server that could be bound is closed again: warnings about open sockets are errors here.
    assert manager.ports == {}
    assert transport.requests == []


def test_one_address_can_serve_probes_and_metrics(make: Make) -> None:
    manager = make(health_address=ANYWHERE, metrics_address=ANYWHERE)

    manager.start()

    assert manager.ports["health"] == manager.ports["metrics"]
    assert [status_of(manager.ports["health"], path) for path in ("/healthz", "/readyz", "/metrics")] == [200] * 3


def test_two_addresses_keep_probes_and_metrics_apart(make: Make) -> None:
    manager = make(health_address=ANYWHERE, metrics_address="localhost:0")

    manager.start()

    assert status_of(manager.ports["health"], "/metrics") == 404
    assert status_of(manager.ports["metrics"], "/healthz") == 404


def test_while_reconciles_end_informers_still_run_and_probes_are_still_served(make: Make) -> None:
    manager = make(health_address=ANYWHERE)
    informer = manager.informer(Pod)
    started, ending = ThreadRuntime().event(), ThreadRuntime().event()
    seen: list[object] = []

    def reconcile() -> None:
        started.set()
        ending.wait(LIMIT_SECONDS)
        seen.append((status_of(manager.ports["health"], "/healthz"), informer.is_running))

    manager.before_stop(lambda _: ending.set())
    manager.start()
    manager.add_controller("widgets", Function(reconcile), []).enqueue(REQUEST)
    assert started.wait(LIMIT_SECONDS)

    assert manager.stop()

    assert seen == [(200, True)]
    assert not informer.is_running
    assert manager.ports == {}


def test_a_stop_returns_false_when_a_reconcile_hangs_and_keeps_the_grace_period(make: Make) -> None:
    manager = make(grace_period_seconds=2.0)
    started, hang = ThreadRuntime().event(), ThreadRuntime().event()

    def reconcile() -> None:
        started.set()
        hang.wait(LIMIT_SECONDS)

    manager.start()
    for name in ("first", "second", "third", "fourth"):
        manager.add_controller(name, Function(reconcile), []).enqueue(REQUEST)
    assert started.wait(LIMIT_SECONDS)
    began = SystemClock().monotonic()

    assert not manager.stop()

    # Shared: not once for each controller.
    assert 2.0 <= SystemClock().monotonic() - began < 6.0
    hang.set()


def test_no_controller_takes_new_work_while_another_one_ends(make: Make) -> None:
    manager = make(grace_period_seconds=10)
    busy, hang = ThreadRuntime().event(), ThreadRuntime().event()
    worked: list[str] = []

    def reconcile_slowly() -> None:
        busy.set()
        hang.wait(LIMIT_SECONDS)

    def stop() -> None:
        manager.stop()

    manager.start()
    slow = manager.add_controller("slow", Function(reconcile_slowly), [])
    other = manager.add_controller("other", Function(lambda: worked.append("other")), [])
    slow.enqueue(REQUEST)
    assert busy.wait(LIMIT_SECONDS)
    stopping = ThreadRuntime().spawn("stopper", stop)

    assert wait_until(other._stopping.is_set, limit_seconds=LIMIT_SECONDS)
    other.enqueue(REQUEST)
    assert stopping.is_alive()
    hang.set()
    stopping.join(LIMIT_SECONDS)

    assert worked == []


def test_a_start_hook_is_called_once_and_one_that_cannot_be_leaves_nothing_open(make: Make) -> None:
    manager, refused = make(health_address=ANYWHERE), make(health_address=ANYWHERE)
    called: list[bool] = []

    def broken() -> None:
        raise ConfigurationError("the port is taken")

    manager.at_start(lambda: called.append(True))
    refused.at_start(broken)
    manager.start()
    with pytest.raises(ConfigurationError):
        refused.start()

    assert called == [True]
    assert refused.ports == {}


def test_a_stop_hook_is_given_the_grace_period_and_one_that_raises_stops_nothing(make: Make) -> None:
    manager = make(grace_period_seconds=5)
    given: list[float] = []

    def broken(_seconds: float) -> None:
        raise RuntimeError("broken hook")

    manager.before_stop(broken)
    manager.before_stop(given.append)
    manager.start()

    assert manager.stop()
    (seconds,) = given
    assert 0 < seconds <= 5


def test_a_second_stop_changes_nothing(make: Make) -> None:
    manager = make()
    hooks: list[float] = []
    manager.before_stop(hooks.append)
    manager.start()

    assert manager.stop()
    assert manager.stop()

    assert len(hooks) == 1


def test_run_ends_when_it_is_told_to(make: Make) -> None:
    manager = make()
    stop = ThreadRuntime().event()
    stop.set()

    assert manager.run(stop)


def test_two_controllers_of_one_name_are_refused(make: Make) -> None:
    manager = make()
    manager.add_controller("widgets", Function(list), [])

    with pytest.raises(ConfigurationError, match="two controllers named 'widgets'"):
        manager.add_controller("widgets", Function(list), [])


def test_an_informer_is_shared_by_all_who_ask_for_the_same(make: Make) -> None:
    manager = make(namespaces=("shop",))
    # Any: by their types alone the two could never be the same, which is what is to be seen.
    config_maps: SharedInformer[Any] = manager.informer(ConfigMap)

    assert manager.informer(Pod) is manager.informer(Pod)
    assert manager.informer(Pod) is manager.informer(Pod, InformerOptions(namespaces=("shop",)))
    assert manager.informer(Pod) is not config_maps
    assert manager.informer(Pod) is not manager.informer(Pod, InformerOptions(labels="app=web"))


def test_typed_and_untyped_informers_of_one_resource_are_two(make: Make) -> None:
    manager = make()

    typed = manager.informer(Pod)
    # Any: by their types alone the two could never be the same, which is what is to be seen.
    untyped: SharedInformer[Any] = manager.informer(resource_type_of(Pod))

    assert typed is not untyped
    assert typed.name != untyped.name


def test_readiness_names_every_informer_even_of_one_resource(make: Make) -> None:
    manager = make()
    for labels in ("", "app=web", "app=db"):
        manager.informer(Pod, InformerOptions(labels=labels))
    manager.informer(Pod, InformerOptions(transform=lambda content: content))
    manager.informer(resource_type_of(Pod))

    problems = manager.readiness.problems()

    assert len(problems) == 5
    assert all(name.startswith("informer/pods") for name in problems)


def test_an_informer_added_after_the_start_runs_at_once(make: Make) -> None:
    manager = make()
    manager.start()

    assert manager.informer(Pod).is_running


def test_a_removed_informer_ends_and_is_forgotten(make: Make) -> None:
    manager = make()
    manager.start()
    informer = manager.informer(Pod)
    other = manager.informer(ConfigMap)

    manager.remove_informer(informer)

    assert not informer.is_running
    assert other.is_running
    assert list(manager.readiness.problems()) == ["informer/configmaps"]
    assert manager.informer(Pod) is not informer


def test_an_informer_that_is_not_there_cannot_be_removed(make: Make) -> None:
    manager = make()
    informer = manager.informer(Pod)
    manager.remove_informer(informer)

    with pytest.raises(ConfigurationError, match="'pods' is no informer of this manager"):
        manager.remove_informer(informer)


def test_a_controller_whose_informer_was_removed_can_still_be_stopped(make: Make) -> None:
    manager = make()
    manager.start()
    informer = manager.informer(Pod)
    manager.add_controller("widgets", Function(list), [Primary(informer)])

    manager.remove_informer(informer)

    assert manager.stop()


def test_a_controller_added_after_the_start_works_at_once(make: Make) -> None:
    manager = make()
    worked = ThreadRuntime().event()
    manager.start()

    manager.add_controller("widgets", Function(worked.set), []).enqueue(REQUEST)

    assert worked.wait(LIMIT_SECONDS)


def test_a_controller_stopped_at_run_time_leaves_others_at_work(make: Make) -> None:
    manager = make()
    worked = ThreadRuntime().event()
    source = Ignored(list)
    manager.start()
    manager.add_controller("widgets", Function(list), [source])
    other = manager.add_controller("gadgets", Function(worked.set), [])

    assert manager.stop_controller("widgets")

    assert source.is_detached
    other.enqueue(REQUEST)
    assert worked.wait(LIMIT_SECONDS)


def test_an_unknown_controller_cannot_be_stopped(make: Make) -> None:
    with pytest.raises(ConfigurationError, match="no controller named 'widgets'"):
        make().stop_controller("widgets")


def test_what_is_added_while_the_process_ends_is_not_started(make: Make) -> None:
    manager = make()
    manager.start()
    manager.stop()

    informer = manager.informer(Pod)

    assert not informer.is_running


def test_a_recorder_is_shared_by_all_of_one_controller(make: Make) -> None:
    manager = make()

    assert manager.recorder_for("widgets") is manager.recorder_for("widgets")
    assert manager.recorder_for("widgets") is not manager.recorder_for("gadgets")


def test_replicas_without_a_given_identity_are_told_apart(make: Make) -> None:
    first, second = make(), make()

    assert first.options.identity != second.options.identity
    assert make(identity="pod-1").options.identity == "pod-1"


def test_controllers_that_need_no_leader_work_while_others_wait(make: Make) -> None:
    manager = make(lease=Key("default", "test"))
    worked, waited = ThreadRuntime().event(), ThreadRuntime().event()
    manager.start()
    everywhere = ControllerOptions(needs_leader=False)
    manager.add_controller("leader-only", Function(waited.set), []).enqueue(REQUEST)
    manager.add_controller("everywhere", Function(worked.set), [], everywhere).enqueue(REQUEST)

    assert worked.wait(LIMIT_SECONDS)
    assert not waited.is_set()
