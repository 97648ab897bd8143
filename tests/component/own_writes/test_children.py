"""Children are compared with what was just applied, although no cache has heard of it."""

from apis.core.v1 import ConfigMap, Namespace
from apis.meta import ObjectMeta
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.apply import OwnedChildren
from framework.client import Access, Observer
from tests.own_writes.frozen_cache import FrozenCache


class Requests(Observer):
    def __init__(self) -> None:
        self.verbs: list[str] = []

    def sending(self, access: Access) -> None:
        self.verbs.append(access.verb)


def test_a_child_of_a_typed_cache_is_applied_once_and_then_costs_no_request() -> None:
    client = in_process_client(ApiServer())
    client.create(Namespace(metadata=ObjectMeta(name="shop")))
    owner = client.create(ConfigMap(metadata=ObjectMeta(name="owner", namespace="shop")))
    cache = FrozenCache(client, ConfigMap, "shop")
    requests = Requests()
    children = OwnedChildren(cache.client.observed_by(requests), ConfigMap, [Synced(cache)])
    desired = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child"}, "data": {"a": "1"}}

    assert [deed.what for deed in children.converge(owner, [desired]).deeds] == ["created"]
    # Neither is cached as of now, so the child and then its owner are looked for before it is made.
    assert requests.verbs == ["get", "list", "patch"]
    requests.verbs.clear()
    assert [deed.what for deed in children.converge(owner, [desired]).deeds] == ["unchanged"]
    assert requests.verbs == []
    assert [deed.what for deed in children.converge(owner, []).deeds] == ["pruned"]
    assert requests.verbs == ["delete"]
    assert children.converge(owner, []).deeds == ()
    assert cache.cached() == {"owner"}


class Synced:
    """The informer as a reconciler sees it, though it was stopped."""

    def __init__(self, cache: FrozenCache[ConfigMap]) -> None:
        self.resource_type = cache.informer.resource_type
        self.has_synced = True
        self.lister = cache.lister
        self.add_index = cache.informer.add_index
