"""A source that leaves out what its own reconciles did, and nothing else."""

from collections.abc import Iterator

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import ControllerOptions, Mapped, Primary
from framework.informers import InformerOptions
from framework.reconcile import Result
from tests.component.own_writes.lagging import NAMESPACE, Cluster

LAG = 2.0


class Counter(Cluster):
    """Two controllers of the same objects: one writes into them what it has seen, the other looks on."""

    def __init__(self) -> None:
        super().__init__()
        informer = self.manager.informer(ConfigMap, InformerOptions(namespaces=(NAMESPACE,)))
        echoes = self.manager.own_writes.echoes
        self.lister = informer.lister
        self.writer = self.manager.client_for("counter")
        self.counted: list[str] = []
        self.looked: list[str] = []
        options = ControllerOptions(max_concurrent_reconciles=1)
        # Each object concerns itself and a summary of all.
        sources = [Mapped(informer, itself_and_the_summary, without_echoes=echoes)]
        self.manager.add_controller("counter", self, sources, options)
        self.manager.add_controller("looker", Looker(self.looked), [Primary(informer, without_echoes=echoes)], options)
        self.start(LAG)

    def reconcile(self, request: Request) -> Result:
        self.counted.append(request.name)
        found = self.lister.get(request.key)
        if found is not None and found.data["seen"] != found.data["wanted"]:
            seen = {"seen": found.data["wanted"]}
            version = found.metadata.resource_version
            self.writer.merge_patch(ConfigMap, request.key, {"data": seen}, resource_version=version)
        return Result.await_change()


def itself_and_the_summary(obj: ConfigMap) -> list[Request]:
    return [Request(obj.key), Request(Key(NAMESPACE, "summary"))] if "seen" in obj.data else []


class Looker:
    def __init__(self, looked: list[str]) -> None:
        self._looked = looked

    def reconcile(self, request: Request) -> Result:
        self._looked.append(request.name)
        return Result.await_change()


@pytest.fixture
def cluster() -> Iterator[Counter]:
    made = Counter()
    yield made
    made.stop()


def test_an_own_write_causes_no_reconcile_of_its_own_key_and_one_of_every_other(cluster: Counter) -> None:
    meta = ObjectMeta(name="a", namespace=NAMESPACE)
    cluster.client.create(ConfigMap(metadata=meta, data={"seen": "", "wanted": "1"}))

    cluster.time.advance(20)
    assert sorted(cluster.counted) == ["a", "summary", "summary"]
    assert cluster.looked.count("a") == 2
    cluster.client.merge_patch(ConfigMap, Key(NAMESPACE, "a"), {"data": {"wanted": "2"}})
    cluster.time.advance(20)

    assert sorted(cluster.counted) == ["a"] * 2 + ["summary"] * 4
    assert cluster.looked.count("a") == 4
    assert cluster.client.get(ConfigMap, Key(NAMESPACE, "a")).data["seen"] == "2"
