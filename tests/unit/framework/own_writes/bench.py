"""A cache that a test moves by hand, and writes whose answers it hands over by hand."""

from typing import Any

import msgspec

from apis.core.v1 import ConfigMap
from apis.meta import Key, resource_type_of
from framework.client import Access, Codec
from framework.listers import Lister
from framework.own_writes import CacheScope, Overlay, OwnWrites
from framework.store import Change, EventType, Store, decode_envelope
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.informers.scripted import Answer, FixedRandom, ScriptedServer, client_of, listed

CONFIG_MAPS = resource_type_of(ConfigMap)
NAMESPACE = "default"


def content(name: str, version: int, uid: str = "", *, namespace: str = NAMESPACE, **metadata: Any) -> bytes:
    """The JSON of a ConfigMap, as a write is answered."""
    identity = {"name": name, "namespace": namespace, "uid": uid or f"uid-{name}", "resourceVersion": str(version)}
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**identity, **metadata}}
    return msgspec.json.encode({**whole, "data": {"v": str(version)}})


def status_of(uid: str) -> bytes:
    """The answer to a deletion that was carried out at once."""
    return msgspec.json.encode({"kind": "Status", "status": "Success", "details": {"uid": uid}})


def key_of(name: str) -> Key:
    return Key(NAMESPACE, name)


class Bench:
    def __init__(
        self, *, labels: str = "", fields: str = "", namespaces: tuple[str, ...] = ("",), **options: Any
    ) -> None:
        self.time = VirtualTime()
        self.server = ScriptedServer(self.time)
        client = client_of(self.server, self.time, FixedRandom())
        self.own_writes = OwnWrites(client, clock=self.time.clock, runtime=self.time.runtime)
        self.store = Store(Codec(ConfigMap, CONFIG_MAPS).decode, self.time.runtime)
        self.store.add_index("v", lambda obj: [obj.data["v"]])
        self.overlay: Overlay[ConfigMap] = Overlay(
            self.store,
            CacheScope(namespaces, labels, fields),
            clock=self.time.clock,
            runtime=self.time.runtime,
            name="configmaps",
            **options,
        )
        self.own_writes.add(CONFIG_MAPS, self.overlay)
        self.lister = Lister(self.store, self.overlay)
        self.stream = namespaces[0]

    # What comes from the server.

    def event(
        self, event_type: EventType, name: str, version: int, uid: str = "", **metadata: Any
    ) -> list[Change[Any]]:
        entry = decode_envelope(content(name, version, uid, **metadata))
        return self.overlay.apply([(event_type, entry)], self.stream, version)

    def bookmark(self, version: int) -> None:
        self.overlay.progress(self.stream, version)

    def relist(self, version: int, *objects: bytes) -> None:
        entries = [decode_envelope(each) for each in objects]
        self.overlay.replace({entry.key: entry for entry in entries}, self.stream, version)

    def will_say(self, version: int, *objects: bytes) -> None:
        """What the server answers when it is asked."""
        self.server.will(listed(version, *objects))

    def will_refuse(self) -> None:
        self.server.will(*[Answer(503)] * 20)

    # What this process does.

    def sending(self, verb: str, name: str = "", *, version: str = "", namespace: str = NAMESPACE) -> Access:
        access = Access(verb, CONFIG_MAPS, "", namespace, name, version)
        self.own_writes.sending(access)
        return access

    def wrote(self, name: str, version: int, uid: str = "", *, verb: str = "patch", **metadata: Any) -> None:
        access = self.sending(verb, "" if verb == "create" else name)
        self.own_writes.answered(access, content(name, version, uid, **metadata))

    def deleted(self, name: str, uid: str = "") -> None:
        self.own_writes.answered(self.sending("delete", name), status_of(uid or f"uid-{name}"))

    # What a reader sees.

    def seen(self, name: str) -> int | None:
        """The version that a reader sees, by whatever way it looks."""
        obj = self.lister.get(key_of(name))
        listed = [each for each in self.lister.list(NAMESPACE) if each.metadata.name == name]
        assert listed == ([] if obj is None else [obj])
        raw = self.lister.as_sent(key_of(name))
        if obj is None:
            assert raw is None
            return None
        version = obj.metadata.resource_version
        assert [each.metadata.name for each in self.lister.by_index("v", version) if each.metadata.name == name] == [
            name
        ]
        assert raw is not None
        return int(version)

    def seen_by_get(self, name: str) -> int | None:
        obj = self.lister.get(key_of(name))
        return None if obj is None else int(obj.metadata.resource_version)

    @property
    def has_pending(self) -> bool:
        return bool(self.overlay.pending)
