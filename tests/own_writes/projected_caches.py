"""Caches that keep a part of each object: what is in them, byte by byte, also of own writes."""

import base64
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import ApiStruct, KubeObject, ObjectMeta, kind
from framework.client import Client
from framework.errors import ValueWithheld
from framework.store import LAST_APPLIED, keep_declared, keep_fields
from tests.own_writes.frozen_cache import FrozenCache

CANARY = "canary-2b9e41"
OBJECTS = 50
LARGE = "x" * 4000


class _Small(ApiStruct, frozen=True, kw_only=True):
    color: str = ""


class Small:
    @kind(group="", version="v1", plural="configmaps", builtin=True)
    class ConfigMap(KubeObject, frozen=True, kw_only=True):
        """As somebody sees it who needs one of its keys."""

        data: _Small = _Small()


def stored_bytes(cache: FrozenCache[Any]) -> list[bytes]:
    """Everything that the cache and its overlay hold."""
    pending = [each.entry.raw for each in cache.informer._overlay.pending.values() if each.entry is not None]
    return [entry.raw for entry in cache.informer._store.entries()] + pending


def check_no_secret_value_is_kept(client: Client, namespace: str) -> None:
    applied = f'{{"stringData":{{"password":"{CANARY}"}}}}'
    metadata = ObjectMeta(name="known", namespace=namespace, annotations={LAST_APPLIED: applied})
    client.create(Secret(metadata=metadata, data={"password": CANARY.encode()}))
    cache = FrozenCache(client, Secret, namespace)
    own = ObjectMeta(name="own", namespace=namespace)
    cache.client.create(Secret(metadata=own, data={"password": CANARY.encode()}))

    assert cache.names() == {"known", "own"}
    assert len(stored_bytes(cache)) == 2
    for raw in stored_bytes(cache):
        assert CANARY.encode() not in raw
        assert base64.b64encode(CANARY.encode()) not in raw
    for name in ("known", "own"):
        cached = cache.lister.get(cache.key(name))
        assert cached is not None
        assert list(cached.data) == ["password"]
        with pytest.raises(ValueWithheld):
            _ = cached.data["password"]
    assert cache.client.get(Secret, cache.key("known")).data["password"] == CANARY.encode()


def check_a_projection_costs_what_is_kept(client: Client, namespace: str) -> None:
    for number in range(OBJECTS):
        meta = ObjectMeta(name=f"map-{number}", namespace=namespace, labels={"of": "test"})
        client.create(ConfigMap(metadata=meta, data={"color": "red", "large": LARGE}))
    caches: dict[str, FrozenCache[Any]] = {
        "whole": FrozenCache(client, ConfigMap, namespace, labels="of=test"),
        "paths": FrozenCache(client, ConfigMap, namespace, labels="of=test", transform=keep_fields("data.color")),
        "struct": FrozenCache(
            client, Small.ConfigMap, namespace, labels="of=test", transform=keep_declared(Small.ConfigMap)
        ),
        "metadata": FrozenCache(client, ConfigMap, namespace, labels="of=test", metadata_only=True),
    }
    for name, cache in caches.items():
        meta = ObjectMeta(name=f"own-{name}", namespace=namespace, labels={"of": "test"})
        cache.client.create(ConfigMap(metadata=meta, data={"color": "blue", "large": LARGE}))

    for name, cache in caches.items():
        sizes = [len(raw) for raw in stored_bytes(cache)]
        assert len(sizes) == OBJECTS + 1, name
        assert min(sizes) > len(LARGE) if name == "whole" else max(sizes) < 700, name
        assert f"own-{name}" in cache.names()
    assert {each.data["color"] for each in caches["paths"].lister.list(namespace)} == {"red", "blue"}
    assert {each.data.color for each in caches["struct"].lister.list(namespace)} == {"red", "blue"}
    assert caches["metadata"].lister.as_sent(caches["metadata"].key("own-metadata")) is None
