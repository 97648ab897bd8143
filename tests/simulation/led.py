"""Two processes that keep copies, of which one leads. Its changes carry no version: the lease alone guards them."""

from pathlib import Path

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.controller import ControllerOptions, Mapped, Primary
from framework.manager import LeaderOptions, Manager, ManagerOptions
from framework.testing.simulation import Scenario, User
from tests.simulation.copies import NAME, NAMESPACE, WANTED, Copies, originals_of

ONE = Key(NAMESPACE, "one")
# Renewed less often than by default: most of a run would be renewals, of which nothing is learnt.
OPTIONS = ManagerOptions(lease=Key(NAMESPACE, "copies"), leader=LeaderOptions(retry_seconds=5.0))


def register(manager: Manager) -> None:
    maps = manager.informer(ConfigMap)
    # Who stands by asks again and again whether it leads, with each of its workers.
    options = ControllerOptions(max_concurrent_reconciles=1)
    manager.add_controller(NAME, Copies(manager), [Primary(maps), Mapped(maps, originals_of)], options)


def led(_folder: Path) -> Scenario:
    return Scenario({"first": register, "second": register}, workload, options=OPTIONS)


def workload(user: User) -> None:
    metadata = ObjectMeta(name=ONE.name, namespace=ONE.namespace, labels=WANTED)
    user.client.create(ConfigMap(metadata=metadata, data={"text": "first"}))
    for text in ("second", "third"):
        user.wait_until_quiet()
        user.client.merge_patch(ConfigMap, ONE, {"data": {"text": text}})
