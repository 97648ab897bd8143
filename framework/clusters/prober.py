"""Asks a cluster whether it answers, in a task of its own, so that no worker has to find out."""

import structlog

from framework.client import Call, Cancellation, Sender
from framework.clusters.health import ClusterHealth, ClusterState
from framework.clusters.options import ClusterOptions
from framework.errors import WindlassError
from framework.randomness import Random
from framework.runtime import Runtime

_LEAST, _MOST = 0.9, 1.1

_log = structlog.get_logger("windlass.clusters")


class Prober:
    """Asks for `/version`; any answer but 401 will do."""

    def __init__(
        self,
        cluster: str,
        connection: Sender,
        health: ClusterHealth,
        *,
        options: ClusterOptions,
        runtime: Runtime,
        random: Random,
    ) -> None:
        self._cluster = cluster
        self._connection = connection
        self._health = health
        self._options = options
        self._runtime = runtime
        self._random = random
        self._wake = runtime.event()
        self._cancellation = Cancellation(runtime)
        self.probes = 0

    def start(self) -> None:
        self._runtime.spawn(f"probe-{self._cluster}", self._run)

    def stop(self) -> None:
        self._cancellation.request()
        self._wake.set()

    def probe_now(self) -> None:
        """Without waiting for the answer."""
        self._wake.set()

    def _run(self) -> None:
        while not self._cancellation.is_requested:
            # Before the probe: whoever asks while it is under way is answered by the next one.
            self._wake.clear()
            self._probe()
            if not self._cancellation.is_requested:
                self._wake.wait(self._pause())

    def _probe(self) -> None:
        self.probes += 1
        call = Call("get", "GET", "/version", timeouts=self._options.timeouts)
        try:
            # A stream, because that is tried once, and can be cancelled.
            self._connection.stream(call, lambda _: None, self._cancellation)
        except WindlassError:
            # The connection has told the health.
            return
        except Exception:  # noqa: BLE001 - whatever it is, the next probe may do better
            _log.exception("probe_bug", cluster=self._cluster)

    def _pause(self) -> float | None:
        is_well = self._health.now.state is ClusterState.REACHABLE
        seconds = self._options.probe_seconds if is_well else self._options.retry_seconds
        return None if seconds is None else seconds * self._random.uniform(_LEAST, _MOST)
