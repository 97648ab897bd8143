"""The connection to one cluster, which can be exchanged for another while it is in use."""

from collections.abc import Callable

from framework.client import Call, Cancellation, HttpResponse, Sender
from framework.clusters.health import ClusterHealth, failure_of
from framework.errors import ApiError, Unauthorized, WindlassError


class SwitchedConnection:
    """Sends each call as a whole, retries included, through the connection of that moment.

    So no token is ever sent to a server that it is not for. Tells the health
    of the cluster what came of each call, unless the connection was exchanged
    meanwhile.
    """

    def __init__(self, connection: Sender, health: ClusterHealth, on_failure: Callable[[], None]) -> None:
        self._current = connection
        self._health = health
        self._on_failure = on_failure

    @property
    def server(self) -> str:
        return self._current.server

    def exchange_for(self, connection: Sender) -> None:
        """From now on use *connection*; what waits to be sent again through the old one is cancelled."""
        retired, self._current = self._current, connection
        retired.close()

    def send(self, call: Call, before_each: Callable[[], None] = lambda: None) -> HttpResponse:
        connection = self._current
        try:
            response = connection.send(call, before_each)
        except WindlassError as error:
            self._report(connection, error)
            raise
        if connection is self._current:
            self._health.answered()
        return response

    def stream(self, call: Call, on_chunk: Callable[[bytes], None], cancellation: Cancellation) -> None:
        connection = self._current
        has_begun = False

        def take(chunk: bytes) -> None:
            nonlocal has_begun
            if not has_begun:
                has_begun = True
                if connection is self._current:
                    self._health.answered()
            on_chunk(chunk)

        try:
            connection.stream(call, take, cancellation)
        except WindlassError as error:
            # A watch that was cut says nothing: it is resumed at once, and that does.
            if not has_begun:
                self._report(connection, error)
            raise

    def close(self) -> None:
        self._current.close()

    def _report(self, connection: Sender, error: WindlassError) -> None:
        if connection is not self._current:
            return
        failure = failure_of(error)
        if failure is not None:
            if self._health.failed(failure):
                self._on_failure()
        elif isinstance(error, ApiError) and not isinstance(error, Unauthorized):
            self._health.answered()
