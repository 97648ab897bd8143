"""What the controllers of peer pods need of a manager that is not ours.

All of it is in plain JSON and small Protocols, so that any manager can be adapted; ours needs no adapter, since
`register_peerpodconfig` and `register_peerpod` know it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from apis.meta import GroupVersionKind, Request
from controllers.reporting.recorder import RelatingRecorder
from framework.client import Client
from framework.reconcile import Reconciler
from framework.workqueue import RateLimiter

# As the server sends it.
Document = Mapping[str, Any]


class HostInformer(Protocol):
    """A cache that follows the server."""

    def get(self, namespace: str, name: str) -> Document | None: ...

    def list(self) -> Iterable[Document]: ...


class HostChange(msgspec.Struct, frozen=True):
    """*old* is None for what has come, *new* for what has gone; *is_listed*: found with others, in no known order."""

    old: Document | None
    new: Document | None
    is_listed: bool = False


class HostSource(msgspec.Struct, frozen=True):
    """Every change of *informer* is a reason to reconcile what *requests* says, *after_seconds* at the latest."""

    informer: HostInformer
    requests: Callable[[HostChange], Iterable[Request]]
    after_seconds: float = 0.0


class Stop(Protocol):
    """As a threading.Event: set when the manager ends, or leads no longer."""

    def wait(self, timeout: float | None = None) -> bool: ...


class Host(Protocol):
    @property
    def client(self) -> Client: ...

    @property
    def recorder(self) -> RelatingRecorder: ...

    def informer(
        self,
        gvk: GroupVersionKind,
        namespace: str | None = None,
        field_selector: str | None = None,
        label_selector: str | None = None,
    ) -> HostInformer:
        """One that has seen everything before the first reconcile."""

    def add_controller(
        self,
        name: str,
        reconciler: Reconciler,
        sources: Sequence[HostSource],
        workers: int,
        rate_limiter: RateLimiter,
    ) -> None:
        """Reconcile each request by one worker at a time, while this process leads.

        Again after `rate_limiter.when(request)` if it raises, else `rate_limiter.forget(request)` and again when the
        Result says.
        """

    def add_runnable(self, run: Callable[[Stop], None], *, leader_only: bool) -> None:
        """Call it in a thread of its own; it ends soon after *Stop* is set."""

    def add_webhook(self, path: str, handler: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Serve *handler*, from AdmissionReview to AdmissionReview, at *path*."""
