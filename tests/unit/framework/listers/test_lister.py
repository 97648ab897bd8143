"""Reading from a cache."""

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, resource_type_of
from framework.client import Codec
from framework.listers import Lister
from framework.runtime import ThreadRuntime
from framework.store import Store, decode_envelope

CODEC = Codec(ConfigMap, resource_type_of(ConfigMap))


@pytest.fixture
def lister() -> Lister[ConfigMap]:
    store = Store(CODEC.decode, ThreadRuntime())
    store.add_index("owner", lambda obj: [obj.data["owner"]] if "owner" in obj.data else [])
    objects = [
        ConfigMap(
            metadata=ObjectMeta(name=name, namespace=namespace, resource_version="1", labels={"app": app}), data=data
        )
        for name, namespace, app, data in [
            ("a", "one", "web", {"owner": "x"}),
            ("b", "one", "db", {"owner": "y"}),
            ("a", "two", "web", {"owner": "x"}),
        ]
    ]
    store.apply([("ADDED", decode_envelope(CODEC.encode(obj))) for obj in objects])
    return Lister(store)


def keys(objects: list[ConfigMap]) -> set[str]:
    return {str(obj.key) for obj in objects}


def test_gets_by_key(lister: Lister[ConfigMap]) -> None:
    found = lister.get(Key("one", "b"))

    assert found is not None
    assert found.data == {"owner": "y"}
    assert lister.get(Key("two", "b")) is None


def test_lists_everything_or_a_namespace_or_what_has_labels(lister: Lister[ConfigMap]) -> None:
    assert len(lister) == 3
    assert keys(lister.list()) == {"one/a", "one/b", "two/a"}
    assert keys(lister.list("one")) == {"one/a", "one/b"}
    assert keys(lister.list(labels="app=web")) == {"one/a", "two/a"}
    assert keys(lister.list("one", "app in (web)")) == {"one/a"}


def test_finds_by_index(lister: Lister[ConfigMap]) -> None:
    assert keys(lister.by_index("owner", "x")) == {"one/a", "two/a"}
    assert lister.by_index("owner", "nobody") == []


def test_what_is_returned_is_shared_and_cannot_be_changed(lister: Lister[ConfigMap]) -> None:
    found = lister.get(Key("one", "a"))

    assert found is not None
    assert found is lister.list("one", "app=web")[0] is lister.get(Key("one", "a"))
    with pytest.raises(AttributeError, match="immutable type"):
        found.data = {}  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable type"):
        found.metadata.name = "b"  # type: ignore[misc]


def test_a_list_is_a_new_one_each_time(lister: Lister[ConfigMap]) -> None:
    lister.list().clear()

    assert len(lister.list()) == 3
    assert msgspec.json.encode(lister.get(Key("two", "a")))
