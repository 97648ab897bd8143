"""Names, labels and buckets that dashboards made for client-go ask for."""

from collections.abc import Callable
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from framework.client import Call, Cancellation, HttpResponse, RestClientMetrics
from framework.errors import Cancelled, Conflict, TransportError

Failure = Callable[..., HttpResponse]
HOST = "server:6443"
GET = Call("get", "GET", "/x")
PATCH = Call("patch", "PATCH", "/x", body=b"x" * 100)
SECONDS = ["0.005", "0.025", "0.1", "0.25", "0.5", "1.0", "2.0", "4.0", "8.0", "15.0", "30.0", "60.0", "+Inf"]
BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216]


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def metrics(registry: CollectorRegistry) -> Any:
    return RestClientMetrics(registry).for_host(HOST)


def samples(registry: CollectorRegistry) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in registry.collect()
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def labels_of(registry: CollectorRegistry, name: str) -> set[str]:
    return {label for (sample, labels) in samples(registry) if sample == name for label, _ in labels}


def bounds_of(registry: CollectorRegistry, name: str) -> list[str]:
    return [dict(labels)["le"] for (sample, labels) in samples(registry) if sample == f"{name}_bucket"]


def test_names_and_labels_are_those_of_client_go(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any, failure: Failure
) -> None:
    transport = scripted(failure(429), HttpResponse(200, {}, b"{}", name_lookup_seconds=0.01))
    setup.outcome_of(lambda: setup.connection(transport, metrics=metrics).send(PATCH))
    setup.time.advance(1)

    assert labels_of(registry, "rest_client_requests_total") == {"code", "method", "host"}
    assert labels_of(registry, "rest_client_request_retries_total") == {"code", "verb", "host"}
    assert labels_of(registry, "rest_client_dns_resolution_duration_seconds_count") == {"host"}
    for name in ("request_duration_seconds", "request_size_bytes", "response_size_bytes"):
        assert labels_of(registry, f"rest_client_{name}_count") == {"verb", "host"}


def test_buckets_are_those_of_client_go(registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any) -> None:
    setup.connection(scripted(HttpResponse(200, {})), metrics=metrics).send(GET)

    assert bounds_of(registry, "rest_client_request_duration_seconds") == SECONDS
    assert bounds_of(registry, "rest_client_dns_resolution_duration_seconds") == SECONDS
    for name in ("rest_client_request_size_bytes", "rest_client_response_size_bytes"):
        assert [float(bound) for bound in bounds_of(registry, name)] == [*BYTES, float("inf")]


def test_a_request_is_counted_with_its_code_time_and_sizes(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any
) -> None:
    def slow_answer(_request: object) -> HttpResponse:
        setup.time.advance(2.5)
        return HttpResponse(200, {}, b"y" * 300)

    setup.connection(scripted(slow_answer), metrics=metrics).send(PATCH)

    value = registry.get_sample_value
    by_verb = {"verb": "PATCH", "host": HOST}
    assert value("rest_client_requests_total", {"code": "200", "method": "PATCH", "host": HOST}) == 1
    assert value("rest_client_request_duration_seconds_sum", by_verb) == 2.5
    assert value("rest_client_request_size_bytes_sum", by_verb) == 100
    assert value("rest_client_response_size_bytes_sum", by_verb) == 300
    assert value("rest_client_dns_resolution_duration_seconds_count", {"host": HOST}) == 0


def test_a_refusal_is_counted_with_its_code(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any, failure: Failure
) -> None:
    with pytest.raises(Conflict):
        setup.connection(scripted(failure(409, "Conflict")), metrics=metrics).send(PATCH)

    assert (
        registry.get_sample_value("rest_client_requests_total", {"code": "409", "method": "PATCH", "host": HOST}) == 1
    )


def test_a_request_without_an_answer_is_counted_as_an_error(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any
) -> None:
    with pytest.raises(TransportError):
        setup.connection(scripted(TransportError("reset")), metrics=metrics).send(PATCH)

    value = registry.get_sample_value
    assert value("rest_client_requests_total", {"code": "<error>", "method": "PATCH", "host": HOST}) == 1
    assert value("rest_client_request_duration_seconds_count", {"verb": "PATCH", "host": HOST}) == 1


def test_retries_are_counted_by_what_made_them_necessary(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any, failure: Failure
) -> None:
    transport = scripted(failure(429), TransportError("reset"), failure(503), HttpResponse(200, {}))
    setup.outcome_of(lambda: setup.connection(transport, metrics=metrics).send(GET))
    setup.time.advance(5)

    retries = {
        code: registry.get_sample_value(
            "rest_client_request_retries_total", {"code": code, "verb": "GET", "host": HOST}
        )
        for code in ("429", "<error>", "503")
    }
    assert retries == {"429": 1, "<error>": 1, "503": 1}


def test_a_looked_up_name_is_measured(registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any) -> None:
    transport = scripted(HttpResponse(200, {}, name_lookup_seconds=0.25))

    setup.connection(transport, metrics=metrics).send(GET)

    assert registry.get_sample_value("rest_client_dns_resolution_duration_seconds_sum", {"host": HOST}) == 0.25


def test_a_watch_is_counted_at_its_head_and_has_no_latency(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any
) -> None:
    transport = scripted(HttpResponse(200, {}))
    transport.chunks = [b"event"]
    counts: list[float | None] = []

    def on_chunk(_chunk: bytes) -> None:
        counts.append(
            registry.get_sample_value("rest_client_requests_total", {"code": "200", "method": "GET", "host": HOST})
        )

    setup.connection(transport, metrics=metrics).stream(GET, on_chunk, Cancellation(setup.time.runtime))

    assert counts == [1, 1]
    assert (
        registry.get_sample_value("rest_client_request_duration_seconds_count", {"verb": "GET", "host": HOST}) is None
    )


def test_a_watch_that_is_ended_from_this_side_is_no_error(
    registry: CollectorRegistry, metrics: Any, setup: Any, scripted: Any
) -> None:
    def end(_chunk: bytes) -> None:
        raise Cancelled("ours")

    with pytest.raises(Cancelled):
        setup.connection(scripted(HttpResponse(200, {})), metrics=metrics).stream(
            GET, end, Cancellation(setup.time.runtime)
        )

    assert [key for key in samples(registry) if key[0] == "rest_client_requests_total"] == [
        ("rest_client_requests_total", (("code", "200"), ("host", HOST), ("method", "GET")))
    ]


@pytest.mark.parametrize(("answer", "code"), [(TransportError("reset"), "<error>"), (HttpResponse(403, {}), "403")])
def test_a_watch_that_does_not_begin_is_counted_once(
    registry: CollectorRegistry, setup: Any, scripted: Any, answer: object, code: str
) -> None:
    connection = setup.connection(scripted(answer), metrics=RestClientMetrics(registry).for_host(HOST))

    setup.outcome_of(lambda: connection.stream(GET, lambda _chunk: None, Cancellation(setup.time.runtime)))

    assert registry.get_sample_value("rest_client_requests_total", {"code": code, "method": "GET", "host": HOST}) == 1
