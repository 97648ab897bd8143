"""Every oracle can speak."""

from collections.abc import Callable

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import Primary
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Plan, Scenario, Simulation, SimulationFailed, User, simulate

ONE = Key("default", "one")


def workload(user: User) -> None:
    user.client.create(ConfigMap(metadata=ObjectMeta(name=ONE.name, namespace=ONE.namespace)))


def simulation_of(reconcile: Callable[[Manager, Request], Result]) -> Simulation:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._manager = manager

        def reconcile(self, request: Request) -> Result:
            return reconcile(self._manager, request) if request.key == ONE else Result.await_change()

    def register(manager: Manager) -> None:
        manager.add_controller("test", Reconciler(manager), [Primary(manager.informer(ConfigMap))])

    return Simulation(Scenario({"controller": register}, workload, limit_seconds=300.0))


def complaints(simulation: Simulation) -> list[str]:
    return [str(violation) for violation in simulation.run(Plan()).violations]


def touch(manager: Manager, text: str) -> None:
    manager.client.merge_patch(ConfigMap, ONE, {"data": {"text": text}})


def test_who_never_comes_to_rest_is_found() -> None:
    def reconcile(manager: Manager, _request: Request) -> Result:
        touch(manager, manager.clock.now().isoformat())
        return Result.after(10.0)

    assert complaints(simulation_of(reconcile))[0].startswith("O1: still writing after 300 s: PATCH /api/v1/")


def test_who_writes_though_all_is_done_is_found_when_it_starts_again() -> None:
    def reconcile(manager: Manager, _request: Request) -> Result:
        touch(manager, "always the same")
        return Result.await_change()

    assert complaints(simulation_of(reconcile)) == [
        "O1: a settled cluster, started again, is written to: PATCH /api/v1/namespaces/default/configmaps/one"
    ]


def test_a_loop_in_which_no_time_passes_is_found() -> None:
    def reconcile(manager: Manager, _request: Request) -> Result:
        current = manager.client.get(ConfigMap, ONE)
        touch(manager, f"{current.metadata.resource_version} and more")
        return Result.await_change()

    assert complaints(simulation_of(reconcile))[0].startswith("stuck: livelock")


def test_a_reconciler_that_raises_what_nobody_expects_is_found() -> None:
    def reconcile(_manager: Manager, _request: Request) -> Result:
        raise KeyError("oops")

    assert "O8: test raised KeyError for default/one: 'oops'" in complaints(simulation_of(reconcile))


def test_a_task_that_dies_is_found() -> None:
    def reconcile(manager: Manager, _request: Request) -> Result:
        def die() -> None:
            raise ValueError("silently")

        manager.runtime.spawn("helper", die)
        return Result.await_change()

    assert "O8: task controller/helper died: ValueError: silently" in complaints(simulation_of(reconcile))


def test_two_that_wait_for_each_other_are_found() -> None:
    def reconcile(manager: Manager, _request: Request) -> Result:
        lock = manager.runtime.lock()
        with lock, lock:
            return Result.await_change()

    found = complaints(simulation_of(reconcile))
    assert [text for text in found if text.startswith("stuck: deadlock: the cluster is quiet, and these wait")], found


def test_an_error_of_the_workload_is_found() -> None:
    def bad_workload(user: User) -> None:
        user.client.delete(ConfigMap, ONE)

    with pytest.raises(SimulationFailed, match="workload: NotFound"):
        simulate(lambda _manager: None, bad_workload)


def test_what_the_user_waits_for_in_vain_is_found() -> None:
    def waiting(user: User) -> None:
        user.wait_until(lambda: False)

    with pytest.raises(
        SimulationFailed, match="workload: TimeoutError: what the user waits for has not come after 1800 s"
    ):
        simulate(lambda _manager: None, waiting)
