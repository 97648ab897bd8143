"""How a manager puts the parts together."""

from collections.abc import Iterator

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.informers import InformerOptions
from tests.component.own_writes.lagging import NAMESPACE, Cluster

OPTIONS = InformerOptions(namespaces=(NAMESPACE,))
KEY = Key(NAMESPACE, "a")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    yield made
    made.stop()


def pending(cluster: Cluster) -> float | None:
    labels = {"name": f"configmaps[namespaces={NAMESPACE}]", "group": "", "version": "v1", "resource": "configmaps"}
    return cluster.manager.registry.get_sample_value("windlass_informer_pending_own_writes", labels)


def test_what_any_client_of_the_manager_writes_is_seen_by_all_its_listers(cluster: Cluster) -> None:
    one, other = cluster.manager.informer(ConfigMap, OPTIONS), cluster.manager.informer(ConfigMap)
    cluster.start(lag_seconds=1000.0)

    cluster.manager.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=NAMESPACE)))
    cluster.manager.client_for("widgets").merge_patch(ConfigMap, KEY, {"data": {"x": "1"}})

    for informer in (one, other):
        found = informer.lister.get(KEY)
        assert found is not None
        assert found.data == {"x": "1"}
    assert pending(cluster) == 1


def test_a_write_past_the_manager_is_seen_when_the_cache_has_it(cluster: Cluster) -> None:
    informer = cluster.manager.informer(ConfigMap, OPTIONS)
    cluster.start(lag_seconds=5.0)

    cluster.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=NAMESPACE)))

    assert informer.lister.get(KEY) is None
    cluster.time.advance(6)
    assert informer.lister.get(KEY) is not None


def test_an_informer_that_is_removed_is_told_of_no_more_writes(cluster: Cluster) -> None:
    informer = cluster.manager.informer(ConfigMap, OPTIONS)
    cluster.start(lag_seconds=0.0)
    assert len(cluster.manager.own_writes.overlays) == 1

    cluster.time.runtime.spawn("remove", lambda: cluster.manager.remove_informer(informer))
    cluster.time.advance(5)

    assert cluster.manager.own_writes.overlays == []


def test_what_the_cache_does_not_tell_for_long_the_manager_asks_the_server(cluster: Cluster) -> None:
    """A deletion of what the cache never knew: no event will come that ends the memory of it."""
    informer = cluster.manager.informer(ConfigMap, InformerOptions(namespaces=(NAMESPACE,), labels="app=web"))
    cluster.start(lag_seconds=0.0)
    cluster.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=NAMESPACE)))
    cluster.manager.client.delete(ConfigMap, KEY)
    cluster.time.wait_until_idle()
    assert informer.pending_own_writes == 1

    # The settling, and the bookmark after it.
    cluster.time.advance(120)

    assert informer.pending_own_writes == 0
