"""Metrics over TLS, for those alone who may read them."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Gauge

from framework.client import Client
from framework.clock import Clock
from framework.loading import LOADING
from framework.manager.metrics_access import MetricsAccess
from framework.manager.server import Route, TlsContexts
from framework.runtime import Runtime, Task

# A certificate that a process has signed for itself: who scrapes cannot know it, and lasts no longer than the process.
_LIFETIME = timedelta(days=365)
_RENEWAL_SECONDS = timedelta(days=180).total_seconds()
_BACKDATED = timedelta(minutes=5)
_POLL_SECONDS = 10.0
_END_SECONDS = 5.0


class MetricsSecurity:
    """With *folder*: its tls.crt and tls.key, whenever they change; else a certificate of its own."""

    def __init__(
        self, client: Client, folder: Path | None, registry: CollectorRegistry, *, clock: Clock, runtime: Runtime
    ) -> None:
        self._access = MetricsAccess(client, clock=clock, runtime=runtime)
        self._folder = folder
        self._clock = clock
        self._runtime = runtime
        self._expiry = Gauge(
            "windlass_metrics_certificate_expiry_timestamp_seconds",
            "When the certificate with which metrics are served ends, in seconds since 1970",
            registry=registry,
        )
        self._stopping = runtime.event()
        self._renewal: Task | None = None
        # Both are of parts that take a while to load, and that processes without TLS do without.
        self._serving: Any = None
        self._watcher: Any = None

    def guard(self, route: Route) -> Route:
        return self._access.guard(route)

    @property
    def tls(self) -> TlsContexts:
        return lambda: None if self._serving is None else self._serving.context()

    def start(self) -> None:
        with LOADING:
            from framework.certificates.metrics import CertificateMetrics
            from framework.certificates.serving import ServingCertificate
            from framework.certificates.watcher import FolderWatcher
            from framework.http.tls import bare_context

        expiry = self._expiry

        class Metrics(CertificateMetrics):
            """Apart from those of webhooks, which the same process may serve with another certificate."""

            def expires(self, certificate: str, moment: datetime) -> None:  # noqa: ARG002 - there is only one
                expiry.set(moment.timestamp())

        self._serving = ServingCertificate(bare_context, clock=self._clock, metrics=Metrics(CollectorRegistry()))
        if self._folder is not None:
            self._watcher = FolderWatcher(
                self._folder, self._serving, runtime=self._runtime, poll_seconds=_POLL_SECONDS
            )
            self._watcher.start()
            return
        self._sign()
        self._renewal = self._runtime.spawn("metrics-certificate", self._renew)

    def stop(self) -> None:
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.stop()
        if self._renewal is not None:
            self._renewal.join(_END_SECONDS)

    def _renew(self) -> None:
        while not self._stopping.wait(_RENEWAL_SECONDS):
            self._sign()

    def _sign(self) -> None:
        with LOADING:
            from framework.certificates import signing

        now = self._clock.now()
        lifetime = (now - _BACKDATED, now + _LIFETIME)
        authority = signing.self_signed("windlass-metrics", lifetime)
        self._serving.offer(signing.server(authority, ["localhost", "127.0.0.1", "::1"], lifetime))
