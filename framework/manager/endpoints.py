"""What a process serves over HTTP: /healthz and /readyz, /metrics."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from framework.clock import Clock
from framework.errors import ConfigurationError
from framework.manager.health import Checks
from framework.manager.server import HttpServer, Page, Route, text_page
from framework.runtime import Runtime


class Endpoints:
    """Addresses are as for HttpServer; an empty one means: not served. Both may be the same."""

    def __init__(
        self,
        health_address: str,
        metrics_address: str,
        *,
        health: Checks,
        readiness: Checks,
        registry: CollectorRegistry,
        clock: Clock,
        runtime: Runtime,
    ) -> None:
        self._addresses = {"health": health_address, "metrics": metrics_address}
        self._registry = registry
        self._clock = clock
        self._runtime = runtime
        self._routes: dict[str, dict[str, Route]] = {
            "health": {"/healthz": lambda _: _report(health), "/readyz": lambda _: _report(readiness)},
            "metrics": {"/metrics": self._metrics_page},
        }
        self._servers: dict[str, HttpServer] = {}

    @property
    def ports(self) -> Mapping[str, int]:
        """Where `health` and `metrics` are served, once started."""
        return {name: server.port for name, server in self._servers.items()}

    def start(self) -> None:
        """Serve all that has an address; nothing is left open when one of them cannot be had."""
        try:
            for name, address in self._addresses.items():
                if address:
                    self._servers[name] = self._shared(address) or self._new(name, address)
        except ConfigurationError:
            self.stop()
            raise
        for server in set(self._servers.values()):
            server.start()

    def stop(self) -> None:
        servers, self._servers = set(self._servers.values()), {}
        for server in servers:
            server.stop()

    def _shared(self, address: str) -> HttpServer | None:
        return next((server for name, server in self._servers.items() if self._addresses[name] == address), None)

    def _new(self, name: str, address: str) -> HttpServer:
        routes: dict[str, Route] = {}
        for other, routes_of_other in self._routes.items():
            if self._addresses[other] == address:
                routes |= routes_of_other
        return HttpServer(name, address, routes, self._runtime, clock=self._clock)

    def _metrics_page(self, headers: Mapping[str, str]) -> Page:
        encode, content_type = choose_encoder(headers.get("accept", ""))
        return Page(200, content_type, encode(self._registry))


def _report(checks: Checks) -> Page:
    is_fine, text = checks.report()
    return text_page(200 if is_fine else 500, text)
