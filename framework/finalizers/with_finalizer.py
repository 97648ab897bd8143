"""A reconciler made of two functions: one for objects that live, one for objects that go."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from apis.meta import Key, KubeObject, Request
from framework.finalizers.finalizer import Finalizer
from framework.reconcile import Reconciler, Result

T = TypeVar("T", bound=KubeObject)
T_co = TypeVar("T_co", bound=KubeObject, covariant=True)
Apply = Callable[[T], Result]
# None: everything is gone. A Result: not yet, look again as it says.
Cleanup = Callable[[T], Result | None]


class Getter(Protocol[T_co]):
    """A lister, or whatever else finds an object."""

    def get(self, key: Key) -> T_co | None: ...


def with_finalizer(finalizer: Finalizer[T], objects: Getter[T], *, apply: Apply[T], cleanup: Cleanup[T]) -> Reconciler:
    """Call *apply* for an object with the finalizer on it, *cleanup* before it goes away.

    *apply* gets the object as it is after the finalizer was put on it.
    """
    return _WithFinalizer(finalizer, objects, apply, cleanup)


class _WithFinalizer(Generic[T]):
    def __init__(self, finalizer: Finalizer[T], objects: Getter[T], apply: Apply[T], cleanup: Cleanup[T]) -> None:
        self._finalizer = finalizer
        self._objects = objects
        self._apply = apply
        self._cleanup = cleanup

    def reconcile(self, request: Request) -> Result:
        obj = self._objects.get(request.key)
        if obj is None:
            return Result.await_change()
        if not obj.metadata.is_being_deleted:
            return self._apply(self._finalizer.ensure(obj))
        if not self._finalizer.needs_cleanup(obj):
            return Result.await_change()
        unfinished = self._cleanup(obj)
        if unfinished is not None:
            return unfinished
        self._finalizer.finish(obj)
        return Result.await_change()
