"""The real thing: TLS on loopback."""

import base64
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from framework.apiserver.admission import CallFailed
from framework.apiserver.admission.caller import CurlCaller
from framework.apiserver.objects import Object
from framework.clock import SystemClock
from framework.errors import ServerError
from framework.runtime import ThreadRuntime
from tests.unit.framework.apiserver.admission.fakes import a_request, a_webhook, admission_with, validating
from tests.unit.framework.apiserver.admission.webhook_server import Reply, WebhookServer, allowed, denied

# Holds back the slow answer until nobody waits for it any more.
RELEASED = ThreadRuntime().event()


def answer(path: str, review: Any) -> dict[str, Any] | Reply:
    replies = {
        "/500": Reply(500, "text/plain", b"boom\n"),
        "/500-json": Reply(500, "application/json", b"{}"),
        "/404": Reply(404, "text/plain", b"x"),
        "/403": Reply(403, "text/plain", b"no access"),
        "/418": Reply(418, "text/plain", b"tea"),
        "/302": Reply(302, "text/plain", b""),
        "/status": Reply(500, "application/json", b'{"kind": "Status", "message": "inner"}'),
        "/empty": Reply(200, "application/json", b""),
        "/nothing": Reply(200, "application/json", b"{}"),
        "/pod": Reply(200, "application/json", b'{"kind": "Pod", "apiVersion": "v1"}'),
    }
    if path == "/slow":
        RELEASED.wait(30)
    if path == "/deny":
        return denied(review, message="no no")
    return replies.get(path, allowed(review))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookServer]:
    with WebhookServer(tmp_path_factory.mktemp("webhook"), answer) as started:
        yield started


def validate(server: WebhookServer, client_config: Object, **webhook: Any) -> str:
    """Ask the webhook; what the user is told, "" if it is allowed."""

    def resolve(namespace: str, name: str, port: int) -> tuple[str, int] | None:
        known = {("default", "hook", 443), ("default", "impostor", 443)}
        return ("127.0.0.1", server.port) if (namespace, name, port) in known else None

    caller = CurlCaller(clock=SystemClock(), runtime=ThreadRuntime(), resolve_service=resolve)
    try:
        admission_with(caller, validating(a_webhook("v", clientConfig=client_config, **webhook))).validate(a_request())
    except ServerError as error:
        return str(error)
    finally:
        caller.close()
    return ""


def at(server: WebhookServer, path: str) -> Object:
    return {"url": f"{server.url}{path}", "caBundle": base64.b64encode(server.ca).decode()}


def service(server: WebhookServer, name: str = "hook", path: str = "/allow") -> Object:
    bundle = base64.b64encode(server.ca).decode()
    return {"service": {"namespace": "default", "name": name, "path": path}, "caBundle": bundle}


def failed(text: str) -> str:
    return f'Internal error occurred: failed calling webhook "v.example.com": {text}'


def test_a_webhook_at_a_url_is_asked(server: WebhookServer) -> None:
    assert validate(server, at(server, "/allow")) == ""
    assert server.reviews[-1][1]["request"]["name"] == "x"


def test_a_webhook_of_a_service_is_found_and_verified_by_the_name_of_the_service(server: WebhookServer) -> None:
    assert validate(server, service(server)) == ""
    assert server.paths[-1] == "/allow"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/500", 'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding'),
        (
            "/500-json",
            'failed to call webhook: an error on the server ("unknown") has prevented the request from succeeding',
        ),
        ("/404", "failed to call webhook: the server could not find the requested resource"),
        ("/403", "failed to call webhook: no access"),
        (
            "/418",
            "failed to call webhook: the server responded with the status code 418 but did not return more information",
        ),
        (
            "/302",
            "failed to call webhook: the server responded with the status code 302 but did not return more information",
        ),
        ("/status", "failed to call webhook: inner"),
        (
            "/empty",
            "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
        ),
        ("/nothing", "received invalid webhook response: webhook response was absent"),
        (
            "/pod",
            (
                'failed to call webhook: no kind "Pod" is registered for version "v1" '
                'in scheme "pkg/runtime/scheme.go:111"'
            ),
        ),
    ],
)
def test_an_answer_that_is_no_review_is_told_as_the_real_server_tells_it(
    server: WebhookServer, path: str, why: str
) -> None:
    assert validate(server, at(server, path)) == failed(why)


def test_a_webhook_that_is_too_slow_is_given_up(server: WebhookServer) -> None:
    post = f'Post "{server.url}/slow?timeout=1s"'

    told = validate(server, at(server, "/slow"), timeoutSeconds=1)
    RELEASED.set()

    assert told == failed(f"failed to call webhook: {post}: context deadline exceeded")


def test_nobody_at_the_other_end(server: WebhookServer) -> None:
    assert validate(server, {"url": "https://127.0.0.1:1/x"}) == failed(
        'failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: '
        "connection refused"
    )


def test_a_service_that_nobody_knows(server: WebhookServer) -> None:
    assert validate(server, service(server, "gone", "")) == failed(
        'failed to call webhook: Post "https://gone.default.svc:443/?timeout=10s": service "gone" not found'
    )


def test_a_certificate_that_the_bundle_does_not_vouch_for(server: WebhookServer) -> None:
    assert validate(server, {"url": f"{server.url}/allow"}) == failed(
        f'failed to call webhook: Post "{server.url}/allow?timeout=10s": tls: failed to verify certificate: x509: '
        "certificate signed by unknown authority"
    )


def test_a_certificate_for_another_name(server: WebhookServer) -> None:
    asked = len(server.reviews)

    assert validate(server, service(server, "impostor")) == failed(
        'failed to call webhook: Post "https://impostor.default.svc:443/allow?timeout=10s": tls: failed to verify '
        "certificate: x509: certificate is not valid for impostor.default.svc"
    )
    assert len(server.reviews) == asked


def test_a_client_config_from_elsewhere_can_be_called_too(server: WebhookServer) -> None:
    caller = CurlCaller(clock=SystemClock(), runtime=ThreadRuntime(), resolve_service=lambda *_: None)
    review = {"apiVersion": "admission.k8s.io/v1", "request": {"uid": "7"}}

    body = caller.call_client(at(server, "/allow"), msgspec.json.encode(review), 5)
    with pytest.raises(CallFailed) as failure:
        caller.call_client(service(server), b"{}", 5)
    caller.close()

    assert msgspec.json.decode(body)["response"] == {"uid": "7", "allowed": True}
    assert str(failure.value) == 'Post "https://hook.default.svc:443/allow?timeout=5s": service "hook" not found'
