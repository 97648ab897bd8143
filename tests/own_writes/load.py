"""Many own writes at once, each looked for at once, while somebody else writes to the same objects."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.client import Client
from framework.errors import Conflict
from framework.informers import InformerOptions, SharedInformer
from framework.manager import Manager
from framework.own_writes import Reconcile, ReconcileScope
from framework.runtime import ThreadRuntime
from framework.store import Change
from framework.testing.control_plane.waiting import wait_until

CONTROLLER = "widgets"
# Written by both sides.
SHARED = 8
LIMIT_SECONDS = 120.0


class Load:
    """Everything goes through one namespace: own creations, and objects that own and foreign writes share."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._foreign = client
        self._namespace = namespace
        self._runtime = ThreadRuntime()
        self._manager = Manager(client)
        self._own = self._manager.client_for(CONTROLLER)
        self._informer: SharedInformer[ConfigMap] = self._manager.informer(
            ConfigMap, InformerOptions(namespaces=(namespace,))
        )
        self._informer.add_index("writer", lambda obj: [obj.data["writer"]] if "writer" in obj.data else [])
        self._manager.own_writes.echoes.listen_for(CONTROLLER)
        self._lister = self._informer.lister
        self._stop = self._runtime.event()
        self._watcher = Watcher(self._manager, self._informer)
        self.foreign_writes: list[tuple[str, int]] = []
        self.stale: list[str] = []
        self.looked = 0
        self.errors: list[str] = []

    @property
    def watcher(self) -> "Watcher":
        return self._watcher

    def run(self, *, writers: int, rounds: int) -> None:
        """*rounds* creations by each of *writers*, then wait until the cache has seen everything."""
        for number in range(SHARED):
            self._foreign.create(self._config_map(f"shared-{number}"))
        self._informer.add_handler(self._watcher)
        self._informer.start()
        assert wait_until(lambda: self._informer.has_synced, limit_seconds=LIMIT_SECONDS)
        stranger = self._runtime.spawn("stranger", self._guarded(self._write_as_stranger))
        tasks = [self._runtime.spawn(f"writer-{n}", self._guarded(self._writer(n, rounds))) for n in range(writers)]
        for task in tasks:
            task.join()
        self._stop.set()
        stranger.join()
        self._settle()

    def _settle(self) -> None:
        page = self._foreign.list_page(ConfigMap, self._namespace, {})
        live = {
            (each.metadata.name, each.metadata.resource_version)
            for each in self._foreign.list(ConfigMap, self._namespace)
        }

        def is_settled() -> bool:
            cached = self._lister.list(self._namespace)
            return {(each.metadata.name, each.metadata.resource_version) for each in cached} == live

        assert page.metadata.resource_version
        assert wait_until(is_settled, limit_seconds=LIMIT_SECONDS)
        assert wait_until(lambda: not self._informer.queued, limit_seconds=LIMIT_SECONDS)
        self._informer.close()

    def _guarded(self, work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - told by the test
                self.errors.append(f"{type(error).__name__}: {error}")

        return run

    def _writer(self, number: int, rounds: int) -> Callable[[], None]:
        reconcile = Reconcile(CONTROLLER, Request(Key(self._namespace, f"writer-{number}")), "overlay")

        def work() -> None:
            with ReconcileScope(reconcile):
                for each in range(rounds):
                    self._create_and_look(number, each)
                    reconcile.writes.clear()

        return work

    def _create_and_look(self, writer: int, number: int) -> None:
        created = self._own.create(self._config_map("", generate_name=f"w{writer}-", writer=str(writer)))
        key = created.key
        self._look(f"creation of {key}", key in {each.key for each in self._lister.list(self._namespace)})
        self._look(f"get of {key}", self._lister.get(key) is not None)
        self._look(f"index of {key}", key in {each.key for each in self._lister.by_index("writer", str(writer))})
        if number % 4 == 0:
            self._change_shared(writer, number)
        self._own.delete(ConfigMap, key, uid=created.metadata.uid)
        self._look(f"deletion of {key}", key not in {each.key for each in self._lister.list(self._namespace)})

    def _change_shared(self, writer: int, number: int) -> None:
        """A conditional write to what the stranger writes as well."""
        found = self._lister.get(Key(self._namespace, f"shared-{(writer + number) % SHARED}"))
        assert found is not None
        try:
            made = self._own.merge_patch(
                ConfigMap,
                found.key,
                {"data": {"own": f"{writer}-{number}"}},
                resource_version=found.metadata.resource_version,
            )
        except Conflict:
            return
        again = self._lister.get(found.key)
        assert again is not None
        is_new = int(again.metadata.resource_version) >= int(made.metadata.resource_version)
        self._look(f"change of {found.key}", is_new)

    def _write_as_stranger(self) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            key = Key(self._namespace, f"shared-{number % SHARED}")
            made = self._foreign.merge_patch(ConfigMap, key, {"data": {"foreign": str(number)}})
            self.foreign_writes.append((made.metadata.uid, int(made.metadata.resource_version)))

    def _look(self, what: str, is_seen: bool) -> None:  # noqa: FBT001
        self.looked += 1
        if not is_seen:
            self.stale.append(what)

    def _config_map(self, name: str, *, generate_name: str = "", **data: str) -> ConfigMap:
        return ConfigMap(
            metadata=ObjectMeta(name=name, generate_name=generate_name, namespace=self._namespace), data=data
        )


class Seen(msgspec.Struct, frozen=True):
    """One change that a handler was told of."""

    uid: str
    old: int
    new: int
    is_echo: bool


class Watcher:
    """Remembers each change, whether it counts as an echo, and whether the lister was behind it."""

    def __init__(self, manager: Manager, informer: SharedInformer[ConfigMap]) -> None:
        self._echoes = manager.own_writes.echoes
        self._lister = informer.lister
        self.changes: list[Seen] = []
        self.behind: list[str] = []

    def on_change(self, change: Change[Any]) -> None:
        new = change.new_entry
        if new is None:
            return
        found = self._lister.get(change.key)
        if found is not None and int(found.metadata.resource_version) < new.version:
            self.behind.append(str(change))
        old = 0 if change.old_entry is None else change.old_entry.version
        is_echo = any(
            self._echoes.is_echo(change, CONTROLLER, Request(Key(new.key.namespace, f"writer-{number}")))
            for number in range(8)
        )
        self.changes.append(Seen(new.uid, old, new.version, is_echo))

    @property
    def echoes(self) -> list[Seen]:
        return [change for change in self.changes if change.is_echo]

    def uncovered(self, writes: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
        """The writes that no change covered but one which counts as an echo."""
        news: dict[str, list[Seen]] = {}
        for change in self.changes:
            if not change.is_echo:
                news.setdefault(change.uid, []).append(change)
        return [
            (uid, version)
            for uid, version in writes
            if not any(each.old < version <= each.new for each in news.get(uid, ()))
        ]
