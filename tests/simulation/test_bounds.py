"""O7: who asks for more and more is found."""

from collections.abc import Callable

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, ObjectMeta, Request
from framework.controller import ControllerOptions, Primary
from framework.errors import WindlassError
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Fault, Limits, Plan, Scenario, Simulation, User
from framework.testing.simulation.bounds import waiting
from framework.testing.simulation.trace import Step

ONE = Key("default", "one")
UNDISTURBED = Plan()


def workload(user: User) -> None:
    user.client.create(ConfigMap(metadata=ObjectMeta(name=ONE.name, namespace=ONE.namespace)))


def complaints(reconcile: Callable[[Manager], Result], *, plan: Plan = UNDISTURBED, **limits: float) -> list[str]:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._manager = manager

        def reconcile(self, request: Request) -> Result:
            return reconcile(self._manager) if request.key == ONE else Result.await_change()

    options = ControllerOptions(max_concurrent_reconciles=1)

    def register(manager: Manager) -> None:
        manager.add_controller("test", Reconciler(manager), [Primary(manager.informer(ConfigMap))], options)

    scenario = Scenario({"controller": register}, workload, limit_seconds=300.0, limits=Limits(**limits))  # type: ignore[arg-type]
    return [each.message for each in Simulation(scenario).run(plan).violations if each.oracle == "O7"]


def wait_for_ever(manager: Manager) -> None:
    manager.runtime.event().wait()


def test_who_hammers_the_server_is_found() -> None:
    def reconcile(manager: Manager) -> Result:
        manager.client.get(ConfigMap, ONE)
        return Result.after(0.1)

    found = complaints(reconcile)

    assert found[0] == (
        "controller sends more than 300 requests a minute, such as GET /api/v1/namespaces/default/configmaps/one"
    )


def test_who_asks_now_and_then_is_not() -> None:
    def reconcile(manager: Manager) -> Result:
        manager.client.get(ConfigMap, ONE)
        return Result.after(1.0)

    assert complaints(reconcile) == []


def test_tasks_that_nobody_ends_are_found() -> None:
    def reconcile(manager: Manager) -> Result:
        manager.runtime.spawn("helper", lambda: wait_for_ever(manager))
        return Result.after(0.1)

    assert "controller has more than 200 tasks, such as controller/helper" in complaints(reconcile)


def test_tasks_that_end_are_not() -> None:
    def reconcile(manager: Manager) -> Result:
        manager.runtime.spawn("helper", lambda: None)
        return Result.after(0.1)

    assert complaints(reconcile) == []


def test_watches_that_nobody_closes_are_found() -> None:
    numbers = iter(range(1000))

    def reconcile(manager: Manager) -> Result:
        manager.informer(Secret, InformerOptions(labels=f"number={next(numbers)}"))
        return Result.after(1.0)

    assert "controller has more than 20 watches, such as WATCH /api/v1/secrets" in complaints(
        reconcile, open_watches=20
    )


def test_a_queue_that_is_not_worked_off_is_found() -> None:
    def reconcile(manager: Manager) -> Result:
        for number in range(30):
            metadata = ObjectMeta(name=f"more-{number}", namespace=ONE.namespace)
            manager.client.create(ConfigMap(metadata=metadata))
        # The only worker.
        wait_for_ever(manager)
        return Result.await_change()

    assert complaints(reconcile, queued=5) == ["the cluster is quiet, and controller has 30 keys in its queues"]


READ = "GET /api/v1/namespaces/default/configmaps/one"
DOWN = Plan(0, tuple(Fault("answer", READ, nth=nth, code=503) for nth in range(1, 200)))


def retrying(most: float) -> Callable[[Manager], Result]:
    pauses = iter([min(2.0**number, most) for number in range(100)])

    def reconcile(manager: Manager) -> Result:
        try:
            manager.client.get(ConfigMap, ONE)
        except WindlassError:
            return Result.after(next(pauses))
        return Result.await_change()

    return reconcile


def test_a_pause_that_grows_for_ever_is_found() -> None:
    found = complaints(retrying(1000.0), plan=DOWN, pause_seconds=10.0)

    assert found[0].startswith("controller pauses for 16 s between two tries of GET /api/v1/")


def test_a_pause_that_is_capped_is_not() -> None:
    assert complaints(retrying(4.0), plan=DOWN, pause_seconds=10.0) == []


def test_the_time_that_a_watch_was_open_is_no_pause() -> None:
    def steps(request: str) -> list[Step]:
        return [Step("controller", request, nth, 1000.0 * nth) for nth in (1, 2)]

    assert list(waiting(steps("WATCH /api/v1/configmaps"), Limits())) == []
    assert len(list(waiting(steps("GET /api/v1/configmaps"), Limits()))) == 1
