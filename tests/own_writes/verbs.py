"""One case for each way to write: afterwards the lister shows what the server has."""

from collections.abc import Callable

from apis.core.v1 import ConfigMap
from apis.meta import ObjectMeta
from framework.testing.control_plane.waiting import wait_until
from tests.own_writes.frozen_cache import LIMIT_SECONDS, FrozenCache

Cache = FrozenCache[ConfigMap]


def a_config_map(cache: Cache, name: str = "a", **metadata: object) -> ConfigMap:
    meta = ObjectMeta(name=name, namespace=cache.namespace, **metadata)  # type: ignore[arg-type]
    return ConfigMap(metadata=meta, data={"color": "red"})


def create(cache: Cache) -> None:
    cache.client.create(a_config_map(cache))

    assert cache.names() == {"a"}


def create_with_a_generated_name(cache: Cache) -> None:
    meta = ObjectMeta(generate_name="job-", namespace=cache.namespace)
    created = [cache.client.create(ConfigMap(metadata=meta)).metadata.name for _ in range(3)]

    assert cache.names() == set(created)


def apply(cache: Cache) -> None:
    cache.client.create(a_config_map(cache))
    desired = {"metadata": {"name": "a", "namespace": cache.namespace}, "data": {"color": "blue"}}
    cache.client.apply(ConfigMap, desired)

    assert [each.data["color"] for each in cache.lister.by_index("color", "blue")] == ["blue"]
    assert cache.lister.by_index("color", "red") == []


def merge_patch(cache: Cache) -> None:
    cache.client.create(a_config_map(cache))
    cache.client.merge_patch(ConfigMap, cache.key("a"), {"data": {"color": "green"}})

    assert [each.data["color"] for each in cache.lister.list(cache.namespace) if each.data.get("color")] == ["green"]


def json_patch(cache: Cache) -> None:
    cache.client.create(a_config_map(cache))
    cache.client.json_patch(ConfigMap, cache.key("a"), [{"op": "replace", "path": "/data/color", "value": "grey"}])

    assert [each.key for each in cache.lister.by_index("color", "grey")] == [cache.key("a")]


def a_patch_that_changes_nothing(cache: Cache) -> None:
    cache.foreign.create(a_config_map(cache))
    cache.client.merge_patch(ConfigMap, cache.key("a"), {"data": {"color": "red"}})

    assert cache.names() == {"a"}


def delete(cache: Cache) -> None:
    created = cache.client.create(a_config_map(cache))
    cache.thaw()
    cache.freeze()
    cache.client.delete(ConfigMap, cache.key("a"), uid=created.metadata.uid)

    assert cache.cached() == {"a"}
    assert cache.names() == set()


def delete_and_create_again(cache: Cache) -> None:
    first = cache.client.create(a_config_map(cache))
    cache.client.delete(ConfigMap, cache.key("a"), uid=first.metadata.uid)
    assert cache.names() == set()
    second = cache.client.create(a_config_map(cache))

    found = cache.lister.get(cache.key("a"))
    assert found is not None
    assert found.metadata.uid == second.metadata.uid


def delete_what_has_a_finalizer(cache: Cache) -> None:
    cache.client.create(a_config_map(cache, finalizers=["windlass.dev/test"]))
    cache.client.delete(ConfigMap, cache.key("a"))

    found = cache.lister.get(cache.key("a"))
    assert found is not None
    assert found.metadata.is_being_deleted


def remove_the_last_finalizer(cache: Cache) -> None:
    cache.client.create(a_config_map(cache, finalizers=["windlass.dev/test"]))
    cache.client.delete(ConfigMap, cache.key("a"))
    cache.thaw()
    cache.freeze()
    cache.client.merge_patch(ConfigMap, cache.key("a"), {"metadata": {"finalizers": []}})

    assert cache.cached() == {"a"}
    assert cache.names() == set()


CASES: tuple[Callable[[Cache], None], ...] = (
    create,
    create_with_a_generated_name,
    apply,
    merge_patch,
    json_patch,
    a_patch_that_changes_nothing,
    delete,
    delete_and_create_again,
    delete_what_has_a_finalizer,
    remove_the_last_finalizer,
)


def check(cache: Cache, case: Callable[[Cache], None]) -> None:
    """Run *case*; then once more with the cache as it really is."""
    cache.informer.add_index("color", lambda obj: [obj.data["color"]] if "color" in obj.data else [])

    case(cache)

    cache.assert_live()
    cache.thaw()
    assert wait_until(lambda: not cache.informer.pending_own_writes, limit_seconds=LIMIT_SECONDS)
    cache.assert_live()
    cache.freeze()
