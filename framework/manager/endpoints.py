"""What a process serves over HTTP: /healthz and /readyz; /metrics, on request over TLS and only for those who may."""

from collections.abc import Mapping
from typing import Protocol

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from framework.clock import Clock
from framework.errors import ConfigurationError
from framework.manager.health import Checks
from framework.manager.server import HttpServer, Page, Route, TlsContexts, text_page
from framework.runtime import Runtime


class Security(Protocol):
    """Keeps metrics from those who may not read them."""

    def guard(self, route: Route) -> Route: ...

    @property
    def tls(self) -> TlsContexts: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...


class Endpoints:
    """Addresses are as for HttpServer; an empty one means: not served.

    Both may be the same, but not with *security*.
    """

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
        security: Security | None = None,
    ) -> None:
        if security is not None and health_address and health_address == metrics_address:
            raise ConfigurationError(f"probes and secured metrics cannot both be served at {health_address}")
        self._addresses = {"health": health_address, "metrics": metrics_address}
        self._registry = registry
        self._clock = clock
        self._runtime = runtime
        self._security = security if metrics_address else None
        metrics = self._metrics_page if security is None else security.guard(self._metrics_page)
        self._routes: dict[str, dict[str, Route]] = {
            "health": {"/healthz": lambda _: _report(health), "/readyz": lambda _: _report(readiness)},
            "metrics": {"/metrics": metrics},
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
        if self._security is not None:
            self._security.start()
        for server in set(self._servers.values()):
            server.start()

    def stop(self) -> None:
        if self._security is not None:
            self._security.stop()
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
        tls = self._security.tls if self._security is not None and name == "metrics" else None
        return HttpServer(name, address, routes, self._runtime, clock=self._clock, tls=tls)

    def _metrics_page(self, headers: Mapping[str, str]) -> Page:
        encode, content_type = choose_encoder(headers.get("accept", ""))
        return Page(200, content_type, encode(self._registry))


def _report(checks: Checks) -> Page:
    is_fine, text = checks.report()
    return text_page(200 if is_fine else 500, text)
