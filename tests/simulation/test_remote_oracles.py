"""O3, O4 and O9 look at other clusters as they look at the own one."""

from collections.abc import Callable, Iterable

import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, ObjectMeta, Request
from framework.client import Client, ClusterAddress, StaticCredentials
from framework.controller import EachCluster
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Fault, Plan, Scenario, Simulation, User

PARIS, ONE = "paris", Key("default", "one")
PASSWORD = "correct-horse-battery"
NOTHING = Plan()
# The event that tells of the user's second change comes when the controller has written already.
LATE = Plan(0, (Fault("hold_event", f"WATCH {PARIS}:/api/v1/configmaps", event=3, seconds=20.0),))

Write = Callable[[Client, ConfigMap], None]


def workload(user: User) -> None:
    metadata = ObjectMeta(name=ONE.name, namespace=ONE.namespace)
    paris = user.remote[PARIS]
    paris.create(Secret(metadata=metadata, data={"password": PASSWORD.encode()}))
    paris.create(ConfigMap(metadata=metadata, data={"text": "first"}))
    user.wait_until_quiet()
    paris.merge_patch(ConfigMap, ONE, {"data": {"count": "0"}})
    paris.merge_patch(ConfigMap, ONE, {"data": {"text": "second"}})


def complaints(oracle: str, write: Write, plan: Plan = NOTHING) -> list[str]:
    class Reconciler:
        def __init__(self, manager: Manager) -> None:
            self._clock = manager.clock
            self._paris = manager.clusters.connect(PARIS, StaticCredentials(ClusterAddress(f"https://{PARIS}")))

        def reconcile(self, request: Request) -> Result:
            current = self._paris.informer(ConfigMap).lister.get(request.key)
            if request.key == ONE and current is not None and current.data.get("count") == "0":
                # Late enough for the user to have written too.
                self._clock.wait(1.0)
                write(self._paris.client_for("test"), current)
            return Result.await_change()

    def register(manager: Manager) -> None:
        def same(_cluster: str, there: ConfigMap) -> Iterable[Request]:
            return [Request(there.key)]

        manager.add_controller("test", Reconciler(manager), [EachCluster(manager.clusters, ConfigMap, same)])

    violations = Simulation(Scenario({"controller": register}, workload, remotes=(PARIS,))).run(plan).violations
    return [each.message for each in violations if each.oracle == oracle]


def count(client: Client, current: ConfigMap) -> None:
    client.merge_patch(ConfigMap, current.key, {"data": {"count": "1"}})


def write_back(client: Client, current: ConfigMap) -> None:
    client.merge_patch(ConfigMap, current.key, {"data": {**current.data, "count": "1"}})


def tell(client: Client, current: ConfigMap) -> None:
    client.merge_patch(ConfigMap, current.key, {"data": {"count": "1", "url": f"sql://me@{PASSWORD}"}})


def test_who_undoes_what_a_user_of_another_cluster_has_written_is_found() -> None:
    (found,) = complaints("O3", write_back, LATE)

    assert found.startswith("controller undid .data.text of configmaps/default/one, which user had written at revision")


def test_who_changes_only_its_own_undoes_nothing_there() -> None:
    assert complaints("O3", count, LATE) == []


def test_a_cache_of_another_cluster_that_a_reader_has_changed_is_found() -> None:
    (found,) = complaints("O4", lambda _client, current: dict.update(current.data, text="mine"))

    assert found.endswith("the cache of paris/configmaps is wrong: default/one was changed by who read it")


def test_a_secret_that_gets_into_an_object_of_another_cluster_is_found() -> None:
    assert complaints("O9", tell) == ["'password' of the Secret default/one is in configmaps/default/one: .data.url"]


@pytest.mark.parametrize("oracle", ["O3", "O4", "O9"])
def test_who_does_nothing_wrong_there_is_not_blamed(oracle: str) -> None:
    assert complaints(oracle, count) == []
