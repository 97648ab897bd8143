"""Mutants of the framework."""

from collections.abc import Iterator
from typing import Any

from apis.meta import Request
from framework.client import Client, connection, retry
from framework.controller import ControllerOptions, Mapped
from framework.controller.attempts import Attempts
from framework.controller.sources import _Enqueue
from framework.errors import Expired, WindlassError
from framework.finalizers import Finalizer
from framework.finalizers.with_finalizer import _WithFinalizer
from framework.informers import Reflector
from framework.own_writes import OwnWrites
from framework.reconcile import Result
from framework.store import Store
from framework.workqueue import WorkQueue
from tests.simulation import tickets as tickets_module
from tests.simulation.copies import copies
from tests.simulation.databases import databases, departures
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.scenarios import rivals, shared_folders
from tests.simulation.tickets import tickets


def _nothing(*_arguments: object, **_options: object) -> None:
    """In place of a deed."""


_put = WorkQueue._put


def _lose_while_processing(self: WorkQueue[Any], item: Any, *arguments: Any, **options: Any) -> None:
    entry = self._entries.get(item)
    if entry is None or entry.started_at is None:
        _put(self, item, *arguments, **options)


def _offer_though_started(self: WorkQueue[Any], entry: Any, since: float) -> None:
    entry.is_delayed = False
    entry.is_ready = True
    entry.ready_at = since
    entry.sequence = self._next_sequence()
    self._ready_count += 1
    self._offer(entry, since)


def _at_once(self: Attempts, request: Request, run: Any, reason: Any, priority: int) -> None:
    self._queue.add(request, priority=priority, reason=reason)


_succeeded = Attempts._succeeded


def _forget_when(self: Attempts, request: Request, run: Any, _result: Result) -> None:
    _succeeded(self, request, run, Result.await_change())


def _new_only(self: Mapped[Any], change: Any) -> Iterator[Request]:
    yield from self._mapped(change.key, lambda: change.new)


_on_change = _Enqueue.on_change


def _no_deletions(self: _Enqueue[Any], change: Any) -> None:
    if change.new_entry is not None:
        _on_change(self, change)


_forget_version_after = Reflector._forget_version_after


def _keep_version(self: Reflector, error: WindlassError) -> None:
    if not isinstance(error, Expired):
        _forget_version_after(self, error)


_watch = Reflector._watch


def _watch_from_now(self: Reflector, version: int) -> None:
    stream = self._new_stream(version)
    broken = self._stream(stream, {})
    if broken is not None:
        self._report(broken)


def _die_of_errors(self: Reflector) -> None:
    while not self._stop.is_set():
        try:
            self._step()
        except WindlassError as error:
            self._report(error)
            return


def _add_only(self: Store[Any], entries: Any, namespace: str = "", version: int = 0) -> list[Any]:
    changes: list[Any] = []
    with self._lock:
        for entry in entries.values():
            self._replace_one(entry, changes)
    return changes


def _answered_unheard(self: OwnWrites, access: Any, answer: bytes) -> None:
    self._known.pop(id(access), None)


def _retry_everything(error: BaseException, *, is_read: bool) -> bool:
    return retry_as_read(error, is_read=True)


retry_as_read = retry.is_retryable


def _remove_all(self: Finalizer[Any], obj: Any) -> None:
    if self.is_on(obj):
        self._write(obj, [])


def _ensure_late(self: _WithFinalizer[Any], request: Request) -> Result:
    obj = self._objects.get(request.key)
    if obj is None or obj.metadata.is_being_deleted:
        return _reconcile(self, request)
    result = self._apply(obj)
    self._finalizer.ensure(obj)
    return result


_reconcile = _WithFinalizer.reconcile


def _patch_whatever(self: Client, obj: Any, patch: Any, kind: Any, subresource: str) -> Any:
    return self.merge_patch(kind, obj.metadata.key, patch, subresource=subresource)


MUTANTS = (
    Mutant(
        "add-lost-while-processing",
        "the queue forgets what is added while a worker has it",
        databases,
        [(WorkQueue, "_put", _lose_while_processing)],
    ),
    Mutant(
        "two-workers-one-key",
        "the queue hands out what a worker has",
        databases,
        [(WorkQueue, "_make_ready", _offer_though_started)],
    ),
    Mutant(
        "retry-at-once",
        "a failure is tried again without a pause",
        databases,
        [(Attempts, "_again", _at_once)],
    ),
    Mutant(
        "later-forgotten",
        "who asks to be called later is not",
        databases,
        [(Attempts, "_succeeded", _forget_when)],
    ),
    Mutant(
        "new-owner-only",
        "an object that moves concerns only who has it now",
        databases,
        [(Mapped, "_requests", _new_only)],
    ),
    Mutant(
        "deletions-dropped",
        "handlers are told of what is there, not of what is gone",
        databases,
        [(_Enqueue, "on_change", _no_deletions)],
        known_from="Sieve, unobserved state",
    ),
    Mutant(
        "expired-version-kept",
        "after a 410 the same version is asked for, for ever",
        copies,
        [(Reflector, "_forget_version_after", _keep_version)],
        known_from="python-base#57",
    ),
    Mutant(
        "watch-from-now",
        "a watch that broke goes on with what happens from now on",
        tickets,
        [(Reflector, "_watch", _watch_from_now)],
    ),
    Mutant(
        "reflector-dies",
        "a watch that broke is not opened again",
        copies,
        [(Reflector, "run", _die_of_errors)],
        known_from="kopf#787",
    ),
    Mutant(
        "list-adds-only",
        "a new list does not remove what is gone",
        tickets,
        [(Store, "replace", _add_only)],
        known_from="kubernetes_asyncio#327",
    ),
    Mutant(
        "generated-name",
        "a create that the cache does not show is made again",
        tickets,
        [(tickets_module, "OPTIONS", ControllerOptions(own_writes="off"))],
        known_from="Sieve, stale state",
    ),
    Mutant(
        "own-write-forgotten",
        "the cache does not show what was written a moment ago",
        tickets,
        [(OwnWrites, "answered", _answered_unheard)],
        known_from="Sieve, stale state",
    ),
    Mutant(
        "lost-answer-forgotten",
        "a write whose answer was lost counts as not made",
        tickets,
        [(OwnWrites, "_note_uncertain", _nothing)],
    ),
    Mutant(
        "writes-sent-twice",
        "a write whose answer was lost is sent again by the client",
        tickets,
        [(connection, "is_retryable", _retry_everything), (retry, "is_retryable", _retry_everything)],
    ),
    Mutant(
        "all-finalizers-removed",
        "the finalizers of others go with our own",
        departures,
        [(Finalizer, "finish", _remove_all)],
        known_from="peer pods, 35",
    ),
    Mutant(
        "finalizer-after-work",
        "the framework puts the finalizer on after the work it protects",
        shared_folders,
        [(_WithFinalizer, "reconcile", _ensure_late)],
    ),
    Mutant(
        "status-without-version",
        "a status is written whatever it is by now",
        rivals,
        [(Client, "_patch_unchanged", _patch_whatever)],
    ),
)
