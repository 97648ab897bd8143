"""Certificates that end within the test, while pods are created."""

import pytest

from apis.meta import Key, Unstructured
from controllers.peerpodconfig.webhook.names import AUTHORITY_SECRET, SECRET, SERVING_SECRET
from framework.client import Client
from framework.clock import SystemClock
from framework.errors import ApiError, NotFound
from framework.testing.control_plane.waiting import wait_until
from tests.integration.peerpods_webhook.webhook import (
    LIMIT_SECONDS,
    RolledOut,
    create_pod,
    operand_namespace,
    target_spec,
)

pytestmark = pytest.mark.xdist_group("peerpods-webhook-real")
_PODS, _ROTATIONS = 200, 2
_MOST_SECONDS = 240.0


def test_21_no_pod_is_refused_during_two_rotations(client: Client, namespace: str) -> None:
    # Two seconds for the API server to hear of a bundle, and five more than both phases take before anything ends.
    options = {
        "webhook_cert_validity_seconds": 15.0,
        "webhook_ca_validity_seconds": 36.0,
        "webhook_rotation_phase_delay_seconds": 2.0,
        "webhook_poll_seconds": 0.2,
    }
    with operand_namespace(client) as operands, RolledOut(client, operands, **options) as webhook:
        webhook.wait_until_asked()
        clock = SystemClock()
        deadline = clock.monotonic() + _MOST_SECONDS
        pods, shown = 0, set()
        while pods < _PODS or _rotations(webhook) < _ROTATIONS:
            assert clock.monotonic() < deadline, webhook.notes.heard
            webhook.apply()
            shown.add(webhook.handshake())
            stored = create_pod(client, namespace, target_spec({"resources": {"requests": {"cpu": "2"}}}))
            assert stored["metadata"]["annotations"]
            pods += 1

    # One at the start, one of each next authority, and those that were renewed between.
    assert len(shown) > 1 + _ROTATIONS


@pytest.mark.parametrize("name", [AUTHORITY_SECRET, SERVING_SECRET])
def test_21_a_secret_that_is_deleted_heals(webhook: RolledOut, client: Client, namespace: str, name: str) -> None:
    client.delete(SECRET, Key(webhook.namespace, name))
    assert not _exists(client, Key(webhook.namespace, name))

    webhook.apply()

    assert _exists(client, Key(webhook.namespace, name))
    assert webhook.handshake()
    assert create_pod(client, namespace, target_spec())


def test_21_both_secrets_deleted_heal(webhook: RolledOut, client: Client, namespace: str) -> None:
    before = webhook.handshake()
    for name in (AUTHORITY_SECRET, SERVING_SECRET):
        client.delete(SECRET, Key(webhook.namespace, name))

    webhook.apply()

    assert webhook.handshake() != before
    assert wait_until(lambda: _is_admitted(webhook, namespace), limit_seconds=LIMIT_SECONDS)


def _exists(client: Client, key: Key) -> bool:
    try:
        found: Unstructured = client.get(SECRET, key)
    except NotFound:
        return False
    return found.key == key


def _rotations(webhook: RolledOut) -> int:
    return sum(note == "the next authority has taken over" for note in webhook.notes.heard)


def _is_admitted(webhook: RolledOut, namespace: str) -> bool:
    try:
        return bool(create_pod(webhook.client, namespace, target_spec()))
    except ApiError:
        # The API server has not heard of the new bundle yet.
        return False
