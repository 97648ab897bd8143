"""O3: who undoes what another has written since, without having seen it, is found."""

from collections.abc import Callable
from typing import Any

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import ControllerOptions, Primary
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Fault, Plan, Scenario, Simulation, User

ONE = Key("default", "one")
WATCH = "WATCH /api/v1/configmaps"
# The third event, which tells of the user's next change, comes when the controller has written already.
LATE = Plan(0, (Fault("hold_event", WATCH, event=3, seconds=20.0),))


def workload(user: User) -> None:
    metadata = ObjectMeta(name=ONE.name, namespace=ONE.namespace, finalizers=["example.dev/first"])
    user.client.create(ConfigMap(metadata=metadata, data={"text": "first"}))
    user.wait_until_quiet()
    # Now the controller acts on what it is shown of this, and not on what follows.
    user.client.merge_patch(ConfigMap, ONE, {"data": {"count": "0"}})
    user.client.merge_patch(ConfigMap, ONE, {"data": {"text": "second"}})
    user.client.merge_patch(ConfigMap, ONE, {"metadata": {"finalizers": ["example.dev/first", "example.dev/user"]}})


def complaints(write: Callable[[Manager, ConfigMap], None], plan: Plan = LATE) -> list[str]:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._manager = manager
            self._maps = manager.informer(ConfigMap).lister

        def reconcile(self, request: Request) -> Result:
            current = self._maps.get(request.key)
            if request.key == ONE and current is not None and current.data.get("count") == "0":
                write(self._manager, current)
            return Result.await_change()

    def register(manager: Manager) -> None:
        options = ControllerOptions(own_writes="off")
        manager.add_controller("test", Reconciler(manager), [Primary(manager.informer(ConfigMap))], options)

    violations = Simulation(Scenario({"controller": register}, workload)).run(plan).violations
    return [each.message for each in violations if each.oracle == "O3"]


def patch(manager: Manager, current: ConfigMap, body: dict[str, Any], **guard: str) -> None:
    # Late enough for the user to have written too.
    manager.clock.wait(1.0)
    manager.client.merge_patch(ConfigMap, current.key, body, **guard)


def test_a_whole_object_that_is_written_back_undoes_what_the_user_has_changed() -> None:
    found = complaints(lambda manager, current: patch(manager, current, {"data": {**current.data, "count": "1"}}))

    assert len(found) == 1
    assert found[0].startswith("controller undid .data.text of configmaps/default/one, which user had written at revis")


def test_a_list_that_is_written_back_undoes_what_the_user_has_added() -> None:
    def write(manager: Manager, current: ConfigMap) -> None:
        patch(manager, current, {"data": {"count": "1"}, "metadata": {"finalizers": ["example.dev/first"]}})

    found = complaints(write)

    assert [message.partition(" of ")[0] for message in found] == [
        "controller undid .metadata.finalizers[example.dev/user]"
    ]


def test_who_changes_only_what_is_its_own_undoes_nothing() -> None:
    assert complaints(lambda manager, current: patch(manager, current, {"data": {"count": "1"}})) == []


def test_who_has_seen_what_the_user_wrote_may_change_it() -> None:
    def write(manager: Manager, current: ConfigMap) -> None:
        patch(manager, manager.client.get(ConfigMap, current.key), {"data": {"text": "mine", "count": "1"}})

    assert complaints(write, Plan()) == []


def test_a_write_that_names_the_version_it_is_based_on_undoes_nothing() -> None:
    def write(manager: Manager, current: ConfigMap) -> None:
        guard = {"resource_version": current.metadata.resource_version}
        patch(manager, current, {"data": {**current.data, "count": "1"}}, **guard)

    assert complaints(write) == []
