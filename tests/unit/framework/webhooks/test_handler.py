"""HTTP around the hooks."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from framework.client import Codecs
from framework.http.exchange import Answer, PeerCertificate, ServerRequest
from framework.runtime import Event, current_deadline
from framework.testing.virtual_time import VirtualTime
from framework.webhooks.handler import WebhookHandler
from framework.webhooks.hooks import admission_hook
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.options import HookOptions
from tests.unit.framework.webhooks.widgets import Widget, a_review, a_widget

PATH = "/validate-shop-example-com-v1-widget"
JSON = {"content-type": "application/json; charset=utf-8"}
BODY = msgspec.json.encode(a_review(a_widget(size=1)))


class Subject:
    """A handler with one webhook, in virtual time."""

    def __init__(self, validator: Any = lambda _: None, **options: Any) -> None:
        self.time = VirtualTime()
        self.registry = CollectorRegistry()
        hook = admission_hook("validate", Codecs().of(Widget), validator, HookOptions())
        metrics = WebhookMetrics(self.registry, self.time.clock)
        self.handler = WebhookHandler(
            [hook], clock=self.time.clock, runtime=self.time.runtime, metrics=metrics, **options
        )

    def post(self, body: bytes = BODY, target: str = PATH, **fields: Any) -> Answer:
        return self.handler.handle(
            ServerRequest(**{"method": "POST", "target": target, "headers": JSON, **fields}, body=body)
        )

    def post_and_forget(self) -> None:
        self.post()

    def sample(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(f"controller_runtime_webhook_{name}", {"webhook": PATH, **labels})


def test_a_review_is_answered_and_counted() -> None:
    subject = Subject()
    assert subject.sample("requests_total", code="200") == 0.0

    answer = subject.post()

    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert msgspec.json.decode(answer.body)["response"] == {"uid": "42", "allowed": True}
    assert subject.sample("requests_total", code="200") == 1.0
    assert subject.sample("latency_seconds_count") == 1.0
    assert subject.sample("requests_in_flight") == 0.0


def test_requests_in_flight_are_seen_while_they_are() -> None:
    seen: list[float | None] = []
    subject: Subject = Subject(lambda _: seen.append(subject.sample("requests_in_flight")))

    subject.post()

    assert seen == [1.0]


@pytest.mark.parametrize(
    ("fields", "code", "reason"),
    [
        ({"body": b""}, 400, "BadRequest"),
        ({"body": b"{"}, 400, "BadRequest"),
        ({"body": b"\xff\xfe"}, 400, "BadRequest"),
        ({"body": b"[" * 100_000}, 400, "BadRequest"),
        ({"body": b'{"request": ' + b'{"object":' * 100_000}, 400, "BadRequest"),
        ({"headers": {"content-type": "text/plain"}}, 415, "UnsupportedMediaType"),
        ({"headers": {}}, 415, "UnsupportedMediaType"),
        ({"method": "GET"}, 405, "MethodNotAllowed"),
        ({"target": "/validate--v1-pod"}, 404, "NotFound"),
    ],
)
def test_a_bad_request_gets_a_status(fields: dict[str, Any], code: int, reason: str) -> None:
    answer = Subject().post(**fields)

    status = msgspec.json.decode(answer.body)
    assert (answer.status, status["kind"], status["reason"]) == (code, "Status", reason)
    assert "\n" not in status["message"]


def test_a_path_that_nobody_declared_makes_no_series() -> None:
    subject = Subject()

    subject.post(target="/made-up")

    assert b"made-up" not in b"".join(str(family).encode() for family in subject.registry.collect())


@pytest.mark.parametrize(
    ("query", "seconds"),
    [("?timeout=7s", 7.0), ("?timeout=500ms", 0.5), ("?timeout=1m30s", 30.0), ("", 30.0), ("?timeout=soon", 30.0)],
)
def test_the_handler_gets_the_deadline_of_the_api_server(query: str, seconds: float) -> None:
    seen: list[Any] = []
    subject = Subject(lambda _: seen.append(current_deadline()))

    subject.post(target=PATH + query)

    assert (seen[0].at - subject.time.clock.monotonic(), seen[0].timeout_seconds) == (seconds, seconds)
    assert current_deadline() is None


@pytest.mark.parametrize(
    ("peer", "code"), [(None, 403), (PeerCertificate("mallory"), 403), (PeerCertificate("kube-apiserver"), 200)]
)
def test_only_the_named_clients_may_ask(peer: PeerCertificate | None, code: int) -> None:
    assert Subject(client_names=("kube-apiserver",)).post(peer=peer).status == code


def test_handlers_that_never_return_are_counted_when_nobody_waits_any_more() -> None:
    gates: list[Event] = []
    subject = Subject(lambda _: gates[0].wait())
    runtime = subject.time.runtime
    gates.append(runtime.event())
    tasks = [runtime.spawn("review", subject.post_and_forget) for _ in range(2)]
    subject.time.advance(89)
    before = subject.handler.stuck
    subject.time.advance(2)

    assert (before, subject.handler.stuck) == (0, 2)
    gates[0].set()
    for task in tasks:
        task.join(5)
    assert subject.handler.stuck == 0


def test_a_bug_of_ours_is_answered_too() -> None:
    class Broken:
        path = PATH

        def answer(self, _body: bytes, _metrics: WebhookMetrics) -> bytes:
            raise KeyError("oops")

    subject = Subject()
    subject.handler._hooks[PATH] = Broken()

    answer = subject.post()

    assert answer.status == 500
    assert msgspec.json.decode(answer.body)["message"] == "the review failed: KeyError: 'oops'"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(a_review(None)["request"])), JSON_VALUES)
def test_a_field_of_any_shape_gets_an_answer(field: str, value: Any) -> None:
    review = a_review(a_widget(size=1), a_widget(size=2), operation="UPDATE")
    review["request"][field] = value

    answer = SUBJECT.post(msgspec.json.encode(review))

    assert answer.status in {200, 400}
    assert isinstance(msgspec.json.decode(answer.body), dict)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.integers(0, len(BODY)).map(lambda end: BODY[:end]))
def test_bytes_of_any_kind_get_an_answer(body: bytes) -> None:
    answer = SUBJECT.post(body)

    assert answer.status == (200 if body == BODY else 400)


SUBJECT = Subject(lambda request: (request.new, request.old, request.user, request.options, request.dry_run))
