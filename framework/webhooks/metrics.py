"""The metrics of controller-runtime's webhook server."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from framework.clock import Clock

# As there: from 10 nanoseconds, each ten times the one before.
_BUCKETS = tuple(10.0**exponent for exponent in range(-8, 4))


class WebhookMetrics:
    def __init__(self, registry: CollectorRegistry, clock: Clock) -> None:
        self._clock = clock
        self._latency = Histogram(
            "controller_runtime_webhook_latency_seconds",
            "Histogram of the latency of processing admission requests",
            ["webhook"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self._requests = Counter(
            "controller_runtime_webhook_requests_total",
            "Total number of admission requests by HTTP status code.",
            ["webhook", "code"],
            registry=registry,
        )
        self._in_flight = Gauge(
            "controller_runtime_webhook_requests_in_flight",
            "Current number of admission requests being served.",
            ["webhook"],
            registry=registry,
        )
        self._panics = Counter(
            "controller_runtime_webhook_panics_total", "Total number of webhook panics", registry=registry
        )
        self._conversion_panics = Counter(
            "controller_runtime_conversion_webhook_panics_total",
            "Total number of conversion webhook panics",
            registry=registry,
        )

    def add_webhook(self, path: str) -> None:
        """Have its series there before the first request."""
        self._latency.labels(path)
        self._in_flight.labels(path)
        for code in ("200", "500"):
            self._requests.labels(path, code)

    @contextmanager
    def serving(self, path: str) -> Iterator[None]:
        began = self._clock.monotonic()
        in_flight = self._in_flight.labels(path)
        in_flight.inc()
        try:
            yield
        finally:
            in_flight.dec()
            self._latency.labels(path).observe(self._clock.monotonic() - began)

    def answered(self, path: str, code: int) -> None:
        self._requests.labels(path, str(code)).inc()

    def panicked(self) -> None:
        self._panics.inc()

    def conversion_panicked(self) -> None:
        self._conversion_panics.inc()
