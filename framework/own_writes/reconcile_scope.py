"""Which reconcile is reading and writing, without being passed through every signature."""

from contextvars import ContextVar
from types import TracebackType
from typing import Literal, Protocol

from apis.meta import Key, Request, ResourceType

Mode = Literal["overlay", "wait", "gate", "off"]
MODES: tuple[Mode, ...] = ("overlay", "wait", "gate", "off")


class Passage(Protocol):
    """Knows the caches of the cluster that a write went to."""

    def has_passed(self, write: "Write") -> bool:
        """Whether every cache shows *write*, or what came after it."""


class Write:
    """One write of a reconcile, for the gate before the next one."""

    __slots__ = ("_passage", "bound", "is_certain", "key", "resource_type", "uid", "version")

    def __init__(
        self,
        passage: Passage,
        resource_type: ResourceType,
        key: Key,
        uid: str = "",
        version: int = 0,
        *,
        is_certain: bool = True,
    ) -> None:
        self._passage = passage
        self.resource_type = resource_type
        self.key = key
        self.uid = uid
        # 0: the answer told none.
        self.version = version
        # Of an uncertain one nothing came back: it may have been made or not.
        self.is_certain = is_certain
        # A version that the server had after an uncertain write, once it was asked.
        self.bound = 0

    @property
    def has_passed(self) -> bool:
        """Whether every cache shows it; an uncertain one costs a request."""
        return self._passage.has_passed(self)


class Reconcile:
    """What the reconcile under way is, and what it has written."""

    __slots__ = ("controller", "mode", "request", "writes")

    def __init__(self, controller: str, request: Request, mode: Mode) -> None:
        self.controller = controller
        self.request = request
        self.mode = mode
        self.writes: list[Write] = []


_current: ContextVar[Reconcile | None] = ContextVar("windlass_reconcile", default=None)


def current_reconcile() -> Reconcile | None:
    return _current.get()


def reading_mode() -> Mode:
    """How the caller wants to see own writes; outside of a reconcile by overlay."""
    reconcile = _current.get()
    return "overlay" if reconcile is None else reconcile.mode


def recording() -> bool:
    """Whether writes are to be remembered; not those of a reconcile that does not want to see any."""
    reconcile = _current.get()
    return reconcile is None or reconcile.mode != "off"


class ReconcileScope:
    """What is read and written inside belongs to *reconcile*. A class and no generator: it is made for each one."""

    __slots__ = ("_token", "reconcile")

    def __init__(self, reconcile: Reconcile) -> None:
        self.reconcile = reconcile

    def __enter__(self) -> Reconcile:
        self._token = _current.set(self.reconcile)
        return self.reconcile

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._token)
