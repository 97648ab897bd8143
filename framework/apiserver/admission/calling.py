"""How webhooks are called; the way there is loaded by the first call."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from framework.apiserver.admission.client_config import ClientConfig
from framework.apiserver.objects import Object
from framework.clock import Clock
from framework.loading import LOADING
from framework.runtime import Runtime

# Where a port of a service can be reached; None if there is no such service.
ResolveService: TypeAlias = Callable[[str, str, int], tuple[str, int] | None]


class CallFailed(Exception):
    """The webhook could not be asked, or its answer cannot be used; failurePolicy decides what that means."""


class Called(Protocol):
    """What a call needs to know of a webhook."""

    @property
    def client(self) -> ClientConfig: ...
    @property
    def timeout_seconds(self) -> float: ...


class Caller(Protocol):
    def call(self, webhook: Called, body: bytes) -> bytes:
        """The body of a good answer to *body*; raises CallFailed."""

    def call_client(self, client_config: Object, body: bytes, timeout_seconds: int) -> bytes:
        """As `call`, for a clientConfig that stands somewhere else, e.g. in a CustomResourceDefinition."""

    def close(self) -> None:
        """Call no more."""


class LazyCaller:
    """Calls by libcurl. Most servers never call, and the client takes longer to load than the server to start."""

    def __init__(self, *, clock: Clock, runtime: Runtime, resolve_service: ResolveService) -> None:
        self._clock = clock
        self._runtime = runtime
        self._resolve_service = resolve_service
        self._lock = runtime.lock()
        self._caller: Any = None

    def call(self, webhook: Called, body: bytes) -> bytes:
        answer: bytes = self._loaded().call(webhook, body)
        return answer

    def call_client(self, client_config: Object, body: bytes, timeout_seconds: int) -> bytes:
        answer: bytes = self._loaded().call_client(client_config, body, timeout_seconds)
        return answer

    def close(self) -> None:
        if self._caller is not None:
            self._caller.close()

    def _loaded(self) -> Any:
        with LOADING:
            from framework.apiserver.admission.caller import CurlCaller

        with self._lock:
            if self._caller is None:
                self._caller = CurlCaller(
                    clock=self._clock, runtime=self._runtime, resolve_service=self._resolve_service
                )
        return self._caller
