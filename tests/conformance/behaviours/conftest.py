"""What several behaviours need: a webhook, and a server that forgets its history."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from framework.clock import SystemClock
from tests.conformance.api import Api
from tests.conformance.behaviours.conversion import converted
from tests.conformance.behaviours.waiting import eventually
from tests.conformance.behaviours.webhooks import Webhooks
from tests.unit.framework.apiserver.admission.webhook_server import Reply, WebhookServer, allowed, denied


@pytest.fixture(scope="session")
def webhook_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookServer]:
    with WebhookServer(tmp_path_factory.mktemp("webhook"), _answer) as server:
        yield server


@pytest.fixture
def webhooks(api: Api, webhook_server: WebhookServer) -> Iterator[Webhooks]:
    configured = Webhooks(api, webhook_server)
    webhook_server.reviews.clear()
    yield configured
    configured.remove()


@pytest.fixture
def service_account(api: Api, namespace: str) -> None:
    """Without it the real server refuses pods; a controller makes it some time after the namespace."""
    account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
    eventually(lambda: api.get(account).status, lambda status: status == 200)


def _answer(path: str, review: Any) -> dict[str, Any] | Reply:
    kind, _, argument = path.strip("/").partition("/")
    if review["kind"] == "ConversionReview":
        return converted(kind, review["request"])
    return _ANSWERS[kind](review, argument)


def _broken(_review: Any, _argument: str) -> Reply:
    return Reply(500, "text/plain", b"broken")


def _late(review: Any, seconds: str) -> dict[str, Any]:
    SystemClock().wait(float(seconds or 3))
    return allowed(review)


def _setting(review: Any, argument: str) -> dict[str, Any]:
    field, _, value = argument.rpartition("/")
    return _patched(review, f"/{field}", json.loads(value))


def _patched(review: Any, path: str, value: Any) -> dict[str, Any]:
    operations = [{"op": "add", "path": path, "value": value}]
    patch = base64.b64encode(json.dumps(operations).encode()).decode()
    return allowed(review, patchType="JSONPatch", patch=patch)


# What the webhook answers, by the first part of the path; the rest is the argument.
_ANSWERS: dict[str, Callable[[Any, str], dict[str, Any] | Reply]] = {
    "allow": lambda review, _: allowed(review),
    "deny": lambda review, message: denied(review, message=message or "no"),
    "add": lambda review, key: _patched(review, f"/data/{key}", "was here"),
    "set": _setting,
    "warn": lambda review, text: allowed(review, warnings=[text]),
    "fail": _broken,
    "wait": _late,
}
