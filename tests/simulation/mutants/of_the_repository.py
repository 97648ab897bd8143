"""Mutants of the controllers and the framework; two of them are bugs that the simulation has found here."""

import shutil
from contextlib import suppress
from typing import Any

from apis.requeststate.v1 import RequestState, State
from controllers.requeststate.director import DirectorReconciler
from controllers.requeststate.transitions import Transitions
from controllers.requeststate.worker import WorkerReconciler
from examples.shared_folder import SharedFolder, SharedFolders
from framework.apply import OwnedChildren
from framework.errors import Conflict, NotFound
from framework.finalizers import Finalizer
from framework.reconcile import Result
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.scenarios import requeststate, shared_folders, websites


def _never(*_arguments: object) -> None:
    """In place of a check."""


def _await_change_after_conflict(self: WorkerReconciler, request_state: RequestState) -> Result:
    try:
        self._act(request_state)
    except (Conflict, NotFound):
        return Result.await_change()
    return Result.await_change()


def _spec_before_history(self: Transitions, held: Any, outcome: State) -> None:
    with held.writing:
        self._move_spec(held, outcome, unless=lambda _: False)
        self._record(held, outcome)


def _always_an_entry(self: Transitions, request_state: RequestState) -> Any:
    begun = self._clock.monotonic()
    status = {"claim": {"worker": self._worker, "acquireTime": "2026-01-01T00:00:00.000000Z"}}
    status["claim"]["renewTime"] = status["claim"]["acquireTime"]
    whole: dict[str, Any] = {**status, **self._entry(request_state, State.STARTED, "")}
    return self._held.hold(self._patch_status(request_state, whole), begun)


def _finish_first(self: SharedFolders, folder: SharedFolder) -> None:
    Finalizer(self.client, SharedFolder, "example.dev/shared-folder").finish(folder)
    shutil.rmtree(self.path_of(folder), ignore_errors=True)


def _swallow(self: DirectorReconciler, request_state: RequestState) -> Result:
    with suppress(Exception):
        self._direct(request_state)
    return Result.await_change()


MUTANTS = (
    Mutant(
        "owner-not-checked",
        "a child is made again and again for an owner that only the cache still has",
        websites,
        [(OwnedChildren, "_check_is_there", _never)],
        known_from="found here",
    ),
    Mutant(
        "409-means-event",
        "after every 409 an event is waited for, which need not come",
        requeststate,
        [(WorkerReconciler, "_act_unless_overtaken", _await_change_after_conflict)],
        known_from="found here",
    ),
    Mutant(
        "state-before-history",
        "the state is moved on before the history says so",
        requeststate,
        [(Transitions, "finish", _spec_before_history)],
    ),
    Mutant(
        "entry-repeated",
        "a job that is taken up again is entered as started again",
        requeststate,
        [(Transitions, "claim", _always_an_entry)],
    ),
    Mutant(
        "folder-finalizer-first",
        "the object goes before its folder",
        shared_folders,
        [(SharedFolders, "cleanup", _finish_first)],
    ),
    Mutant(
        "director-swallows",
        "the director takes every error for a lost race",
        requeststate,
        [(DirectorReconciler, "_direct_unless_overtaken", _swallow)],
        known_from="found here",
    ),
)
