"""What a client needs of a connection."""

from collections.abc import Callable
from typing import Protocol

from framework.client.call import Call
from framework.client.cancellation import Cancellation
from framework.client.transport import HttpResponse


class Sender(Protocol):
    """Carries calls to one cluster: a Connection, or something that stands before one."""

    @property
    def server(self) -> str: ...

    def send(self, call: Call, before_each: Callable[[], None] = ...) -> HttpResponse:
        """The answer to *call*; raises for everything but a 2xx. What *before_each* raises keeps it from going out."""

    def stream(self, call: Call, on_chunk: Callable[[bytes], None], cancellation: Cancellation) -> None:
        """Feed the body of the answer to *on_chunk* until the server ends it."""

    def close(self) -> None: ...
