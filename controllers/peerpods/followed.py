"""What a manager that is not ours offers, as the reconcilers want it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import msgspec
import structlog

from apis.meta import GroupVersionKind, Key, KubeObject, ObjectMeta, Request, Unstructured, resource_type_of
from controllers.peerpods.host import Document, Host, HostChange, HostInformer, HostSource
from controllers.peerpods.listing import Listing
from framework.reconcile import Reconciler, Result
from framework.store import Change, Entry

T = TypeVar("T", bound=KubeObject)

_log = structlog.get_logger("windlass.peerpods")


class HostListing(Generic[T]):
    """A host's cache as the reconcilers read it; what cannot be read as *kind* is as good as not there."""

    def __init__(self, informer: HostInformer, kind: type[T]) -> None:
        self._informer = informer
        self._kind = kind

    def get(self, key: Key) -> T | None:
        found = self._informer.get(key.namespace, key.name)
        return None if found is None else decoded(found, self._kind)

    def list(self) -> Sequence[T]:
        found = (decoded(each, self._kind) for each in self._informer.list())
        return [each for each in found if each is not None]

    def as_sent(self, key: Key) -> bytes | None:
        found = self._informer.get(key.namespace, key.name)
        return None if found is None else msgspec.json.encode(found)


class Followed(Generic[T]):
    """One informer of *host*, with what a change of it leads to."""

    def __init__(
        self,
        host: Host,
        kind: type[T],
        namespace: str = "",
        *,
        gvk: GroupVersionKind | None = None,
        fields: str = "",
        labels: str = "",
    ) -> None:
        self._kind = kind
        wanted = gvk or resource_type_of(kind).gvk
        self._informer = host.informer(wanted, namespace or None, fields or None, labels or None)
        self.listing = HostListing(self._informer, kind)

    def source(
        self,
        concerned: Callable[[T], Iterable[Request]],
        *,
        matters: Callable[[Change[T]], bool] = lambda _: True,
        after_seconds: float = 0.0,
    ) -> HostSource:
        def requests(seen: HostChange) -> Iterable[Request]:
            change = self._change(seen)
            if not matters(change):
                return ()
            # An object that moves concerns both whom it leaves and whom it joins.
            objects = [each for each in (change.old, change.new) if each is not None]
            return dict.fromkeys(request for each in objects for request in concerned(each))

        return HostSource(self._informer, requests, after_seconds)

    def _change(self, seen: HostChange) -> Change[T]:
        old, new = (self._entry(each) for each in (seen.old, seen.new))
        return Change(lambda entry: entry.decoded, old, new, is_listed=seen.is_listed)

    def _entry(self, document: Document | None) -> Entry | None:
        found = None if document is None else decoded(document, self._kind)
        return None if found is None else Entry(found.key, found.metadata.uid, 0, b"", found)


def decoded(document: Document, kind: type[T]) -> T | None:
    try:
        if issubclass(kind, Unstructured):
            metadata = msgspec.convert(document["metadata"], ObjectMeta)
            return kind(metadata=metadata, content=dict(document))
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        _log.debug("object_not_read", kind=kind.__name__, error=str(error))
        return None


class Resynced:
    """Reconciles what is there also when nothing happens for a while."""

    def __init__(self, reconciler: Reconciler, listing: Listing[KubeObject], seconds: float) -> None:
        self._reconciler = reconciler
        self._listing = listing
        self._seconds = seconds

    def reconcile(self, request: Request) -> Result:
        result = self._reconciler.reconcile(request)
        after = result.requeue_after_seconds
        is_soon = result.requeue or (after is not None and after <= self._seconds)
        is_gone = self._listing.get(request.key) is None
        return result if is_soon or is_gone else Result.after(self._seconds)


def itself(changed: KubeObject) -> Iterable[Request]:
    return [Request(changed.key)]
