"""Recognises changes that a reconcile made itself."""

from typing import Any

import msgspec

from apis.meta import Request
from framework.runtime import Runtime
from framework.store import Change

# Writes remembered; an echo comes within milliseconds, and one that is forgotten costs one reconcile.
LONGEST = 4096


class Made(msgspec.Struct, frozen=True):
    """One version of an object, and the version it was made from; 0: it was created."""

    uid: str
    base: int
    version: int


class Echoes:
    """Knows a change for an echo only if it is exactly one own write and nothing else.

    That is: the object before is the very version that the write was made
    from, and the object after the one it made. So only creations and writes
    that named their resourceVersion are known; a write that the server took
    without a condition may have come after one of somebody else, or may have
    changed nothing and been answered with what somebody else had written.
    """

    def __init__(self, runtime: Runtime, longest: int = LONGEST) -> None:
        self._lock = runtime.lock()
        self._longest = longest
        self._listeners: set[str] = set()
        self._made: dict[Made, tuple[str, Request]] = {}

    def listen_for(self, controller: str) -> None:
        """Remember the writes of *controller* from now on."""
        self._listeners.add(controller)

    def note(self, made: Made, controller: str, request: Request) -> None:
        """The reconcile of *request* made this; call it before the next one can begin."""
        if controller not in self._listeners:
            return
        with self._lock:
            self._made[made] = (controller, request)
            if len(self._made) > self._longest:
                del self._made[next(iter(self._made))]

    def is_echo(self, change: Change[Any], controller: str, request: Request) -> bool:
        """Whether *change* is what the reconcile of *request* itself did, and nothing besides."""
        old, new = change.old_entry, change.new_entry
        if new is None or change.is_initial or change.is_resync:
            return False
        if old is not None and old.uid != new.uid:
            return False
        made = Made(new.uid, 0 if old is None else old.version, new.version)
        return self._made.get(made) == (controller, request)
