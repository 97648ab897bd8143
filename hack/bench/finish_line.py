"""Sees from outside when the last object has its status, in the same way for every contestant."""

from types import TracebackType
from typing import Self

from apis.requeststate.v1 import RequestState
from framework.client import Client
from framework.clock import SystemClock
from framework.informers import InformerOptions, SharedInformer
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.store import Change

_SYNC_LIMIT_SECONDS = 60.0


class FinishLine:
    """Watches one namespace until *count* objects have a status."""

    def __init__(self, client: Client, namespace: str, count: int) -> None:
        runtime = ThreadRuntime()
        self._wanted = count
        self._finished: set[str] = set()
        self._all_finished = runtime.event()
        self._informer = SharedInformer(
            RequestState,
            client=client,
            clock=SystemClock(),
            runtime=runtime,
            random=system_random(),
            options=InformerOptions(namespaces=(namespace,)),
        )
        self._registration = self._informer.add_handler(self)

    def __enter__(self) -> Self:
        self._informer.start()
        self._registration.wait_for_sync(_SYNC_LIMIT_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._informer.close()

    def on_change(self, change: Change[RequestState]) -> None:
        if change.new is not None and change.new.status.observed_generation:
            self._finished.add(change.key.name)
            if len(self._finished) == self._wanted:
                self._all_finished.set()

    @property
    def finished(self) -> int:
        return len(self._finished)

    def wait(self, limit_seconds: float) -> bool:
        return self._all_finished.wait(limit_seconds)
