"""What one ordinarily tests a reconciler with: a server at hand, no cache, no queue, reconciles called one by one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

from apis.core.v1 import ConfigMap
from apis.meta import Key, KubeObject, Request
from framework.apiserver.auth import SigningKey
from framework.apiserver.controllers import builtin_controllers
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client, Kind
from framework.clock import SystemClock
from framework.errors import NotFound, ServerError, Status
from framework.informers.absence import DEFINITIONS
from framework.manager import Manager
from framework.reconcile import Reconciler, Result

NAMESPACE = "default"
_MOST_RECONCILES = 10


@cache
def _signing_key() -> SigningKey:
    # Its making takes longer than all the rest of a test.
    return SigningKey.generate()


class Lister:
    """Reads from the server itself."""

    def __init__(self, client: Client, kind: Kind[Any]) -> None:
        self._client = client
        self._kind = kind

    def get(self, key: Key) -> KubeObject | None:
        try:
            found: KubeObject = self._client.get(self._kind, key)
        except NotFound:
            return None
        return found

    def list(self) -> list[KubeObject]:
        return self._client.list(self._kind)


class StandingClock(SystemClock):
    """Time passes when the test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    # Shadows the function of the machine's clock.
    def monotonic(self) -> float:
        return self.seconds


class Bench:
    """Stands in for a manager, and calls the reconciler that is registered with it."""

    def __init__(self, definitions: Sequence[Mapping[str, Any]] = ()) -> None:
        self._server = ApiServer(signing_key=_signing_key())
        self.client = in_process_client(self._server)
        self.clock = StandingClock()
        for definition in definitions:
            self.client.apply(DEFINITIONS, definition)
        # The reconciler has a client of its own, so that what fails for it works for the test.
        self.its_client = in_process_client(self._server)
        self._builtin = builtin_controllers(self._server)
        self._builtin.settle()
        self._reconciler: Reconciler | None = None

    def register(self, register: Callable[[Manager], None]) -> None:
        def add_controller(_name: str, reconciler: Reconciler, *_: object) -> None:
            self._reconciler = reconciler

        manager = SimpleNamespace(
            informer=self._informer,
            client_for=lambda _name: self.its_client,
            clock=self.clock,
            add_controller=add_controller,
        )
        register(cast("Manager", manager))

    def reconcile(self, name: str) -> Result:
        assert self._reconciler is not None
        return self._reconciler.reconcile(Request(Key(NAMESPACE, name)))

    def settle(self, name: str) -> Result:
        """Reconcile until nothing is written any more, and let the garbage collector work."""
        for _ in range(_MOST_RECONCILES):
            before = self._server.storage.revision
            result = self.reconcile(name)
            self._builtin.settle()
            if self._server.storage.revision == before:
                return result
        raise AssertionError(f"{name} is still written to after {_MOST_RECONCILES} reconciles")

    @contextmanager
    def failing(self, method: str, kind: type[KubeObject] | None = None) -> Iterator[None]:
        """What the reconciler asks for by *method* is refused with 500, or only of *kind*."""
        real = getattr(self.its_client, method)

        def refuse(first: Any, *arguments: Any, **options: Any) -> Any:
            if kind is None or first is kind or isinstance(first, kind):
                raise ServerError(Status(500, "InternalError", "the test wants it so"))
            return real(first, *arguments, **options)

        with mock.patch.object(self.its_client, method, refuse):
            yield

    def map(self, name: str) -> ConfigMap | None:
        return cast("ConfigMap | None", Lister(self.client, ConfigMap).get(Key(NAMESPACE, name)))

    def maps(self) -> set[str]:
        return {each.metadata.name for each in self.client.list(ConfigMap, NAMESPACE)} - {"kube-root-ca.crt"}

    def _informer(self, kind: Kind[Any]) -> Any:
        return SimpleNamespace(lister=Lister(self.its_client, kind))
