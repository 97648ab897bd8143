"""The `rest_client_*` metrics, named and labelled as client-go's."""

import msgspec
from prometheus_client import CollectorRegistry, Counter, Histogram

_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)
_BYTES = (64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216)


class RequestMeasure(msgspec.Struct, frozen=True):
    verb: str
    code: str
    seconds: float
    request_bytes: int
    response_bytes: int


class RestClientMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "rest_client_requests_total",
            "HTTP requests by status code, method and host",
            ["code", "method", "host"],
            registry=registry,
        )
        self._duration = Histogram(
            "rest_client_request_duration_seconds",
            "Request latency by verb and host",
            ["verb", "host"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._request_size = Histogram(
            "rest_client_request_size_bytes",
            "Request size by verb and host",
            ["verb", "host"],
            buckets=_BYTES,
            registry=registry,
        )
        self._response_size = Histogram(
            "rest_client_response_size_bytes",
            "Response size by verb and host",
            ["verb", "host"],
            buckets=_BYTES,
            registry=registry,
        )
        self._retries = Counter(
            "rest_client_request_retries_total",
            "Retried requests by status code, verb and host",
            ["code", "verb", "host"],
            registry=registry,
        )

    def for_host(self, host: str) -> "HostMetrics":
        return HostMetrics(self, host)

    def observe(self, host: str, measure: RequestMeasure) -> None:
        self._requests.labels(measure.code, measure.verb, host).inc()
        self._duration.labels(measure.verb, host).observe(measure.seconds)
        self._request_size.labels(measure.verb, host).observe(measure.request_bytes)
        self._response_size.labels(measure.verb, host).observe(measure.response_bytes)

    def retried(self, host: str, verb: str, code: str) -> None:
        self._retries.labels(code, verb, host).inc()


class HostMetrics:
    """The metrics of one client."""

    def __init__(self, metrics: RestClientMetrics, host: str) -> None:
        self._metrics = metrics
        self._host = host

    def observe(self, measure: RequestMeasure) -> None:
        self._metrics.observe(self._host, measure)

    def retried(self, verb: str, code: str) -> None:
        self._metrics.retried(self._host, verb, code)
