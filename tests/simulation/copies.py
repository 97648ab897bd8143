"""A controller written by hand, and rightly: keeps a copy of every ConfigMap that asks for one, and counts on nobody.

Its mutants are in `tests/simulation/mutants`; each overrides one method.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.errors import AlreadyExists, NotFound
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Scenario, User

NAMESPACE = "default"
WANTED = {"wants": "copy"}
FINALIZER = "example.dev/copy"
NAME = "copies"
OPTIONS = ControllerOptions()


class Copies:
    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.maps = manager.informer(ConfigMap).lister
        self.client = manager.client_for(NAME)

    def reconcile(self, request: Request) -> Result:
        original = self.maps.get(request.key)
        if original is None or original.metadata.labels != WANTED:
            return Result.await_change()
        if original.metadata.is_being_deleted:
            self.end(original)
        elif FINALIZER not in original.metadata.finalizers:
            self.set_finalizers(original, [FINALIZER])
        else:
            self.bring(original)
        return Result.await_change()

    def bring(self, original: ConfigMap) -> None:
        copy = self.maps.get(self.key_of(original))
        if copy is None:
            self.create(original)
        elif copy.data != original.data:
            self.client.merge_patch(ConfigMap, copy.key, {"data": dict(original.data)}, uid=copy.metadata.uid)

    def create(self, original: ConfigMap) -> None:
        key = self.key_of(original)
        metadata = ObjectMeta(name=key.name, namespace=key.namespace)
        with suppress(AlreadyExists):
            self.client.create(ConfigMap(metadata=metadata, data=dict(original.data)))

    def end(self, original: ConfigMap) -> None:
        # The finalizer goes last: a crash in between repeats the deletion.
        self.remove_copy(original)
        self.set_finalizers(original, [])

    def remove_copy(self, original: ConfigMap) -> None:
        with suppress(NotFound):
            self.client.delete(ConfigMap, self.key_of(original))

    def set_finalizers(self, original: ConfigMap, finalizers: list[str]) -> None:
        patch = {"metadata": {"finalizers": finalizers}}
        version, uid = original.metadata.resource_version, original.metadata.uid
        with suppress(NotFound):
            self.client.merge_patch(ConfigMap, original.key, patch, resource_version=version, uid=uid)

    @staticmethod
    def key_of(original: ConfigMap) -> Key:
        return Key(original.metadata.namespace, f"{original.metadata.name}-copy")


def originals_of(copy: ConfigMap) -> list[Request]:
    name = copy.metadata.name
    return [Request(Key(copy.metadata.namespace, name.removesuffix("-copy")))] if name.endswith("-copy") else []


def sources(manager: Manager) -> Sequence[Source]:
    maps = manager.informer(ConfigMap)
    return [Primary(maps), Mapped(maps, originals_of)]


def register(manager: Manager) -> None:
    manager.add_controller(NAME, Copies(manager), sources(manager), OPTIONS)


def workload(user: User) -> None:
    """One copy that stays and is changed, one whose original goes."""
    for name in ("kept", "gone"):
        metadata = ObjectMeta(name=name, namespace=NAMESPACE, labels=WANTED)
        user.client.create(ConfigMap(metadata=metadata, data={"text": "first"}))
    user.wait_until_quiet()
    user.client.merge_patch(ConfigMap, Key(NAMESPACE, "kept"), {"data": {"text": "second"}})
    user.wait_until_quiet()
    user.client.delete(ConfigMap, Key(NAMESPACE, "gone"))


def copies(_folder: Path) -> Scenario:
    return Scenario({"controller": register}, workload)
