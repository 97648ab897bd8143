"""Mutants of the controller in `tests/simulation/copies.py`."""

from collections.abc import Sequence
from contextlib import suppress

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.controller import Primary, Source
from framework.errors import NotFound, TerminalError, WindlassError
from framework.manager import Manager
from framework.reconcile import Result
from tests.simulation import copies
from tests.simulation.copies import FINALIZER, WANTED, Copies
from tests.simulation.mutants.mutant import hand_written


class FinalizerFirst(Copies):
    def end(self, original: ConfigMap) -> None:
        self.set_finalizers(original, [])
        self.remove_copy(original)


class NoFinalizer(Copies):
    def reconcile(self, request: Request) -> Result:
        original = self.maps.get(request.key)
        if original is None:
            with suppress(NotFound):
                self.client.delete(ConfigMap, Key(request.namespace, f"{request.name}-copy"))
        elif original.metadata.labels == WANTED:
            self.bring(original)
        return Result.await_change()


class CreateThenFill(Copies):
    def bring(self, original: ConfigMap) -> None:
        if self.maps.get(self.key_of(original)) is not None:
            return
        key = self.key_of(original)
        self.client.create(ConfigMap(metadata=ObjectMeta(name=key.name, namespace=key.namespace)))
        self.client.merge_patch(ConfigMap, key, {"data": dict(original.data)})


class ErrorSwallowed(Copies):
    def reconcile(self, request: Request) -> Result:
        with suppress(WindlassError):
            return super().reconcile(request)
        return Result.await_change()


class DoneInMemory(Copies):
    def __init__(self, manager: Manager) -> None:
        super().__init__(manager)
        self.done: dict[Key, str] = {}

    def bring(self, original: ConfigMap) -> None:
        text = original.data["text"]
        if self.done.get(original.key) != text:
            self.done[original.key] = text
            super().bring(original)


class DeletesToChange(Copies):
    def bring(self, original: ConfigMap) -> None:
        copy = self.maps.get(self.key_of(original))
        if copy is not None and copy.data != original.data:
            self.remove_copy(original)
        self.create(original)


class WritesAlways(Copies):
    def bring(self, original: ConfigMap) -> None:
        super().bring(original)
        stamp = {"data": {**original.data, "seen": self.manager.clock.now().isoformat()}}
        self.client.merge_patch(ConfigMap, self.key_of(original), stamp)


class CrashTakenForFirstStart(Copies):
    """Clears up at every start what a former life may have left, also what is wanted."""

    is_first = True

    def reconcile(self, request: Request) -> Result:
        if self.is_first:
            self.is_first = False
            for each in self.maps.list():
                if each.metadata.name.endswith("-copy"):
                    self.client.delete(ConfigMap, each.key)
        return super().reconcile(request)


class GoneIsAnError(Copies):
    def remove_copy(self, original: ConfigMap) -> None:
        self.client.delete(ConfigMap, self.key_of(original))

    def end(self, original: ConfigMap) -> None:
        try:
            super().end(original)
        except NotFound as error:
            raise TerminalError("the copy is gone already") from error


class CopyWhileDeleted(Copies):
    def reconcile(self, request: Request) -> Result:
        original = self.maps.get(request.key)
        if original is not None and original.metadata.is_being_deleted and FINALIZER in original.metadata.finalizers:
            self.bring(original)
        return super().reconcile(request)


class SeenAlive(Copies):
    """A deletion is something that happens to what one has seen before."""

    def __init__(self, manager: Manager) -> None:
        super().__init__(manager)
        self.alive: set[str] = set()

    def reconcile(self, request: Request) -> Result:
        original = self.maps.get(request.key)
        if original is not None and not original.metadata.is_being_deleted:
            self.alive.add(original.metadata.uid)
        elif original is not None and original.metadata.uid not in self.alive:
            return Result.await_change()
        return super().reconcile(request)


class EventCarried(Copies):
    """Tries with the object that it was first called for, until that works."""

    def __init__(self, manager: Manager) -> None:
        super().__init__(manager)
        self.carried: dict[Key, ConfigMap | None] = {}

    def reconcile(self, request: Request) -> Result:
        original = self.carried.setdefault(request.key, self.maps.get(request.key))
        if original is not None and original.metadata.labels == WANTED:
            if original.metadata.is_being_deleted:
                self.end(original)
            elif FINALIZER not in original.metadata.finalizers:
                self.set_finalizers(original, [FINALIZER])
            else:
                self.bring(original)
        del self.carried[request.key]
        return Result.await_change()


def _primary_only(manager: Manager) -> Sequence[Source]:
    return [Primary(manager.informer(ConfigMap))]


MUTANTS = (
    hand_written("finalizer-first", "the finalizer goes before the work it protects", FinalizerFirst),
    hand_written(
        "no-finalizer",
        "a deletion is only noticed by who is up when it happens",
        NoFinalizer,
        (copies, "sources", _primary_only),
        known_from="Sieve, unobserved state; laf instance_controller.go:55",
    ),
    hand_written(
        "create-then-fill",
        "made in two writes, and never looked at again",
        CreateThenFill,
        known_from="Sieve, intermediate state",
    ),
    hand_written("error-swallowed", "an error counts as done", ErrorSwallowed, known_from="peer pods, 4 and 7"),
    hand_written("done-in-memory", "what was done is remembered before it is done", DoneInMemory),
    hand_written(
        "deletes-to-change",
        "a change by deleting and making again",
        DeletesToChange,
        known_from="workers, 4",
    ),
    hand_written("writes-always", "writes without a need", WritesAlways, known_from="laf instance_controller.go:164"),
    hand_written(
        "clears-at-start",
        "every start clears away what is wanted",
        CrashTakenForFirstStart,
        known_from="workers, 4",
    ),
    hand_written(
        "gone-is-an-error",
        "what is deleted already cannot be deleted, for ever",
        GoneIsAnError,
        known_from="peer pods, 23 to 26",
    ),
    hand_written(
        "copy-while-deleted",
        "a child is made for an owner that is going",
        CopyWhileDeleted,
        known_from="Sieve, indirect",
    ),
    hand_written(
        "seen-alive",
        "a deletion counts only if the object was seen before it",
        SeenAlive,
        known_from="Sieve, unobserved state",
    ),
    hand_written("event-carried-state", "a second try works with the object of the first", EventCarried),
)
