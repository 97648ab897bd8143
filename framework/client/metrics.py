"""The `rest_client_*` metrics, named and labelled as client-go's.

`rest_client_rate_limiter_duration_seconds` is missing: this client has no
limiter of its own, the server's flow control is the judge.
"""

from prometheus_client import CollectorRegistry, Counter, Histogram

from framework.client.transport import HttpResponse

_SECONDS = (0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)
_BYTES = (64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216)
# The code of a request that got no answer, as client-go writes it.
NO_ANSWER = "<error>"
NO_STATUS = 0


class RestClientMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        def histogram(name: str, text: str, labels: list[str], buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"rest_client_{name}", text, labels, buckets=buckets, registry=registry)

        def counter(name: str, text: str, labels: list[str]) -> Counter:
            return Counter(f"rest_client_{name}", text, labels, registry=registry)

        by_verb = ["verb", "host"]
        self.requests = counter(
            "requests_total", "HTTP requests by status code, method and host", ["code", "method", "host"]
        )
        self.retries = counter(
            "request_retries_total", "Retried requests by status code, verb and host", ["code", "verb", "host"]
        )
        self.duration = histogram(
            "request_duration_seconds", "Request latency by verb and host; watches are not in it", by_verb, _SECONDS
        )
        self.lookup = histogram("dns_resolution_duration_seconds", "DNS lookup latency by host", ["host"], _SECONDS)
        self.request_size = histogram("request_size_bytes", "Request size by verb and host", by_verb, _BYTES)
        self.response_size = histogram("response_size_bytes", "Response size by verb and host", by_verb, _BYTES)

    def for_host(self, host: str) -> "HostMetrics":
        return HostMetrics(self, host)


class HostMetrics:
    """The metrics of one client, its label values looked up once for each verb and code."""

    def __init__(self, metrics: RestClientMetrics, host: str) -> None:
        self._metrics = metrics
        self._host = host
        self._lookup = metrics.lookup.labels(host)
        # Two tasks may both fill in an entry: labels() gives both the same child.
        self._by_verb: dict[str, tuple[Histogram, Histogram, Histogram]] = {}
        self._by_answer: dict[tuple[str, int], Counter] = {}

    def answered(self, verb: str, seconds: float, request_bytes: int, response: HttpResponse) -> None:
        self.counted(verb, response.status)
        duration, request_size, response_size = self._of_verb(verb)
        duration.observe(seconds)
        request_size.observe(request_bytes)
        response_size.observe(len(response.body))
        if response.name_lookup_seconds is not None:
            self._lookup.observe(response.name_lookup_seconds)

    def failed(self, verb: str, seconds: float) -> None:
        self.counted(verb, NO_STATUS)
        self._of_verb(verb)[0].observe(seconds)

    def counted(self, verb: str, status: int) -> None:
        child = self._by_answer.get((verb, status))
        if child is None:
            code = str(status) if status else NO_ANSWER
            child = self._by_answer[verb, status] = self._metrics.requests.labels(code, verb, self._host)
        child.inc()

    def retried(self, verb: str, code: str) -> None:
        self._metrics.retries.labels(code, verb, self._host).inc()

    def _of_verb(self, verb: str) -> tuple[Histogram, Histogram, Histogram]:
        children = self._by_verb.get(verb)
        if children is None:
            metrics = self._metrics
            families = (metrics.duration, metrics.request_size, metrics.response_size)
            duration, request_size, response_size = (family.labels(verb, self._host) for family in families)
            children = self._by_verb[verb] = (duration, request_size, response_size)
        return children
