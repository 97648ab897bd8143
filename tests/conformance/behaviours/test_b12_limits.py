"""How large a request may be, and how long it may take."""

import pytest

from tests.conformance.api import Api
from tests.conformance.behaviours.webhooks import Webhooks
from tests.conformance.kinds import config_map, config_maps, widgets

pytestmark = pytest.mark.behaviour("B12")
LIMIT = 3 * 1024 * 1024


def test_a_body_above_three_mebibytes_is_too_large(api: Api, namespace: str) -> None:
    body = b'{"a": "' + b"x" * (LIMIT - 8) + b'"}'

    reply = api.create(widgets(namespace), body)

    assert reply.error == (413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")


def test_a_body_of_three_mebibytes_is_read(api: Api, namespace: str) -> None:
    body = b'{"a": "' + b"x" * (LIMIT - 9) + b'"}'

    assert api.create(widgets(namespace), body).status == 400


def test_a_timeout_is_a_duration(api: Api, namespace: str) -> None:
    reply = api.create(config_maps(namespace), config_map(), query={"timeout": "long"})

    assert reply.status == 400


def test_a_write_that_takes_too_long_times_out(api: Api, namespace: str, webhooks: Webhooks) -> None:
    webhooks.configure("Validating", "slow", namespace, "wait", timeoutSeconds=20)

    reply = webhooks.until_called(
        lambda: api.create(config_maps(namespace), config_map(), query={"timeout": "1s", "dryRun": "All"})
    )

    assert (reply.status, reply.reason) == (504, "Timeout")
