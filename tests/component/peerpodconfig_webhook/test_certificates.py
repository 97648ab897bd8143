"""The two Secrets and the bundle, through rotations, crashes and losses."""

import base64
from collections.abc import Iterator
from datetime import timedelta

import pytest

from apis.meta import Key
from controllers.peerpodconfig.webhook.authorities import PHASE_ANNOTATION, authorities_in
from controllers.peerpodconfig.webhook.issuing import facts, issued_by
from controllers.peerpodconfig.webhook.leaf import leaf_in
from controllers.peerpodconfig.webhook.names import (
    AUTHORITY_SECRET,
    CONFIGURATION,
    CONFIGURATION_NAME,
    SECRET,
    SERVICE_NAME,
    SERVING_SECRET,
)
from controllers.peerpodconfig.webhook.secret_data import encoded
from framework.client import Client
from tests.component.peerpodconfig_webhook.stage import Crashed, Stage, Writes

pytestmark = pytest.mark.xdist_group("peerpods-webhook")
_PHASES = (timedelta(days=548), timedelta(seconds=60), timedelta(seconds=600))


@pytest.fixture
def stage(client: Client, namespace: str) -> Iterator[Stage]:
    made = Stage(client, namespace, webhook_mode="in-process", webhook_url="https://127.0.0.1:9443")
    yield made
    made.rollout.remove()


def test_secrets_hold_what_their_readers_expect(stage: Stage) -> None:
    stage.apply()

    authority, serving = stage.read(SECRET, AUTHORITY_SECRET), stage.read(SECRET, SERVING_SECRET)
    assert authority is not None
    assert serving is not None
    assert sorted(authority["data"]) == ["ca.crt", "ca.key"]
    assert serving["type"] == "kubernetes.io/tls"
    assert sorted(serving["data"]) == ["ca.crt", "tls.crt", "tls.key"]
    assert serving["data"]["ca.crt"] == authority["data"]["ca.crt"] == stage.webhook["clientConfig"]["caBundle"]
    found = facts(leaf_in(serving).pair.certificate)
    assert found is not None
    host = f"{SERVICE_NAME}.{stage.namespace}"
    assert found.hosts == {SERVICE_NAME, host, f"{host}.svc", f"{host}.svc.cluster.local", "127.0.0.1"}
    for secret in (authority, serving):
        assert secret["metadata"]["labels"] == {"app.kubernetes.io/managed-by": "peerpodconfig-controller"}


def test_a_rotation_goes_through_its_phases_and_each_is_written_down(stage: Stage) -> None:
    stage.apply()
    old = _bundle(stage)

    began = stage.after(_PHASES[0])
    both = _bundle(stage)
    assert both.startswith(old)
    assert both != old
    assert _phase(stage) == "Trusting"
    assert began.look_again_seconds == 60.0

    issued = stage.after(_PHASES[1])
    assert _bundle(stage) == both
    assert _phase(stage) == "Issued"
    assert issued.look_again_seconds == 600.0

    stage.after(_PHASES[2])
    assert _bundle(stage) == both.removeprefix(old)
    assert _phase(stage) is None
    authority = stage.read(SECRET, AUTHORITY_SECRET)
    assert authority is not None
    assert sorted(authority["data"]) == ["ca.crt", "ca.key"]
    stage.written()
    stage.apply()
    assert stage.written() == []


def test_a_crash_after_each_write_resumes_and_never_shows_what_is_not_trusted(client: Client, namespace: str) -> None:
    crashes = 0
    for most in range(40):
        stage = Stage(client, namespace, webhook_mode="in-process", webhook_url="https://127.0.0.1:9443")
        crashes += _live_through(stage, most)
        assert _phase(stage) is None
        stage.writes.most = None
        stage.rollout.remove()
        if crashes <= most:
            break

    # Secrets twice; the configuration twice; the next authority, its trust; the bundle; the leaf, its note; the end.
    assert crashes >= 10


def _live_through(stage: Stage, most: int) -> int:
    """A whole rotation whose process ends once, after *most* writes; how often it has."""
    crashes = 0
    stage.writes = Writes(most)
    stage.rollout = stage.new_rollout()
    for duration in (timedelta(), *_PHASES, timedelta(), *_PHASES[1:]):
        stage.time.advance(duration.total_seconds())
        try:
            stage.apply()
        except Crashed:
            crashes += 1
            stage.writes.most = None
            stage.rollout = stage.new_rollout()
            _check(stage)
            stage.apply()
        _check(stage)
    return crashes


def _check(stage: Stage) -> None:
    """What servers read was issued by somebody in the bundle, as soon as there is one."""
    serving = stage.read(SECRET, SERVING_SECRET)
    if stage.read(CONFIGURATION, CONFIGURATION_NAME) is None or serving is None:
        return
    shown = leaf_in(serving).pair.certificate
    assert any(issued_by(shown, each) for each in _certificates(_bundle(stage)))


@pytest.mark.parametrize("name", [AUTHORITY_SECRET, SERVING_SECRET])
def test_a_secret_that_is_deleted_comes_back_and_nobody_is_cut_off(stage: Stage, name: str) -> None:
    stage.apply()
    old = _bundle(stage)
    stage.client.delete(SECRET, Key(stage.namespace, name))

    stage.apply()

    assert name in stage.present
    assert _bundle(stage).startswith(old)
    assert issued_by(stage.server.shown[-1].certificate, old)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (AUTHORITY_SECRET, "ca.crt"),
        (AUTHORITY_SECRET, "ca.key"),
        (SERVING_SECRET, "tls.crt"),
        (SERVING_SECRET, "tls.key"),
        (SERVING_SECRET, "ca.crt"),
    ],
)
@pytest.mark.parametrize("value", [b"garbage", b""])
def test_a_corrupt_secret_heals(stage: Stage, name: str, key: str, value: bytes) -> None:
    stage.apply()
    old = _bundle(stage)
    stage.client.merge_patch(SECRET, Key(stage.namespace, name), {"data": {key: encoded(value)}})

    stage.apply()

    assert _bundle(stage).startswith(old)
    for duration in _PHASES[1:]:
        stage.after(duration)
    authority, serving = stage.read(SECRET, AUTHORITY_SECRET), stage.read(SECRET, SERVING_SECRET)
    assert authority is not None
    assert serving is not None
    found, leaf = authorities_in(authority), leaf_in(serving)
    assert found.current.key
    assert found.bundle == _bundle(stage)
    assert issued_by(leaf.pair.certificate, found.current.certificate)


def test_a_secret_of_the_wrong_type_is_made_again(stage: Stage) -> None:
    stage.apply()
    stage.client.delete(SECRET, Key(stage.namespace, SERVING_SECRET))
    labels = {"app.kubernetes.io/managed-by": "peerpodconfig-controller"}
    wrong = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": stage.namespace, "name": SERVING_SECRET, "labels": labels},
    }
    stage.client.apply(SECRET, wrong)

    stage.apply()

    serving = stage.read(SECRET, SERVING_SECRET)
    assert serving is not None
    assert serving["type"] == "kubernetes.io/tls"


def test_a_bundle_that_is_taken_away_in_a_rotation_is_repaired_and_the_time_begins_again(stage: Stage) -> None:
    stage.apply()
    old = _bundle(stage)
    stage.after(_PHASES[0])
    both = _bundle(stage)
    entry = {**stage.webhook, "clientConfig": {**stage.webhook["clientConfig"], "caBundle": encoded(old)}}
    stage.client.merge_patch(CONFIGURATION, Key("", CONFIGURATION_NAME), {"webhooks": [entry]})

    stage.after(timedelta(seconds=59))
    assert _bundle(stage) == both
    stage.after(timedelta(seconds=59))
    assert _phase(stage) == "Trusting"
    stage.after(timedelta(seconds=1))

    assert _phase(stage) == "Issued"


def test_no_key_is_in_what_can_be_printed(stage: Stage) -> None:
    stage.apply()
    authority = stage.read(SECRET, AUTHORITY_SECRET)
    assert authority is not None

    found = authorities_in(authority)

    assert "PRIVATE" not in f"{found!r} {found.current!r}"


def _bundle(stage: Stage) -> bytes:
    return base64.b64decode(stage.webhook["clientConfig"]["caBundle"])


def _certificates(bundle: bytes) -> list[bytes]:
    end = b"-----END CERTIFICATE-----\n"
    return [part + end for part in bundle.split(end) if part]


def _phase(stage: Stage) -> str | None:
    authority = stage.read(SECRET, AUTHORITY_SECRET)
    assert authority is not None
    phase: str | None = authority["metadata"].get("annotations", {}).get(PHASE_ANNOTATION)
    return phase
