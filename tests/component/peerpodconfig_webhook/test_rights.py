"""What the roll-out declares that it must be allowed to do, and what it does."""

import pytest

from apis.meta import Key
from controllers.peerpodconfig.webhook import webhook_rights
from controllers.peerpodconfig.webhook.names import SECRET, SERVING_SECRET
from framework.client import Client
from framework.rights import AccessRecorder, compare, needs_of
from framework.runtime import ThreadRuntime
from tests.component.peerpodconfig_webhook.stage import Stage, config

pytestmark = pytest.mark.xdist_group("peerpods-webhook")


def test_all_that_is_declared_is_needed_and_enough(client: Client, namespace: str) -> None:
    recorder = AccessRecorder(ThreadRuntime())
    stage = Stage(client, namespace)
    stage.rollout = stage.new_rollout(client.observed_by(recorder))

    stage.apply()
    client.delete(SECRET, Key(namespace, SERVING_SECRET))
    stage.apply()
    stage.apply(config(enabled=False))

    needs = needs_of(webhook_rights(stage.options), watched=("",), home="")
    # An apply that creates is a patch to us, and also a create to the server.
    found = compare(needs, recorder.seen)
    assert found.undeclared == ()
    assert all(right.startswith("create ") for right in found.unused)
    assert len(found.unused) == 4
