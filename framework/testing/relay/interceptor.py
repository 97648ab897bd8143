"""Who decides about each request in code, where a fault as data does not say enough."""

from collections.abc import Callable, Iterator
from typing import Protocol

from framework.testing.relay.fault import Respond
from framework.testing.relay.request import SeenRequest
from framework.testing.relay.steps import Step

Pause = Callable[[float], None]


class Interceptor(Protocol):
    """Called in the thread of the connection, which it may keep waiting with *pause*; Severed resets the connection."""

    def before(self, request: SeenRequest, pause: Pause, /) -> Respond | None:
        """The server has not heard of *request*, and never will if there is an answer."""

    def after(self, request: SeenRequest, status: int, pause: Pause, /) -> None:
        """The server has answered, and so has done it; the client has not heard."""

    def edit(self, request: SeenRequest, status: int, lines: Iterator[bytes], /) -> Iterator[Step] | None:
        """The body of the answer line by line, as the client is to get it; None: as it comes."""
