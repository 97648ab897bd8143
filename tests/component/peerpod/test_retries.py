"""When a failed deletion is tried again, and when it is tried at once."""

from collections.abc import Callable

import pytest

from apis.confidentialcontainers.peerpod import PeerPod
from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key
from controllers.peerpod.provider import (
    AuthFailed,
    Busy,
    Permanent,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
)
from tests.component.peerpod.stage import SYSTEM, TENANT, Stage

ROWS = [
    (Throttled("slow down", 0.0), "Throttled", [5, 10, 20, 40, 80, 160, 300, 300], 0.2),
    (Throttled("slow down", 90.0), "Throttled", [90, 90, 90, 90, 90, 160, 300, 300], 0.2),
    (Transient("no answer"), "ProviderError", [2, 4, 8, 16, 32, 64, 128, 256, 300, 300], 0.0),
    (Busy("still building"), "InProgress", [15, 15, 15], 0.0),
    (AuthFailed("who are you"), "CredentialsInvalid", [60, 120, 240, 480, 600, 600], 0.0),
    (SettingsMissing("REGION"), "SettingsMissing", [60, 120, 240, 480, 600, 600], 0.0),
    (Permanent("DeletionRefused", "it is protected"), "DeletionRefused", [600, 600], 0.0),
]


@pytest.mark.parametrize(
    ("error", "reason", "delays", "jitter"), ROWS, ids=[f"{reason}-{delays[0]}" for _, reason, delays, _ in ROWS]
)
def test_each_class_of_failure_has_its_delays(
    stage: Stage, error: ProviderError, reason: str, delays: list[float], jitter: float
) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.always(error)

    seen: list[float] = []
    while len(seen) < len(delays):
        failures = stage.get().status.attempts
        seconds = stage.reconcile()
        assert seconds is not None
        if isinstance(error, Busy) or stage.get().status.attempts > failures:
            seen.append(seconds)
        stage.clock.wait(seconds)

    assert all(
        wanted * (1 - jitter) <= found <= wanted * (1 + jitter) for found, wanted in zip(seen, delays, strict=True)
    )
    assert stage.reason() == reason


@pytest.mark.parametrize("error", [Transient("no answer"), Throttled("slow down")])
def test_what_passes_is_tried_three_times_in_one_call(stage: Stage, error: ProviderError) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.fails_with(error, error)

    stage.reconcile()

    assert stage.find() is None
    assert len(stage.cloud.asked) == 3
    assert stage.clock.monotonic() < 20


def test_what_does_not_pass_is_tried_once_in_one_call(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.always(Permanent("DeletionRefused", "it is protected"))

    stage.reconcile()

    assert len(stage.cloud.asked) == 1


def test_a_process_that_ends_does_not_wait_to_try_again(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.always(Transient("no answer"))
    stage.stopping.set()

    stage.reconcile()

    assert len(stage.cloud.asked) == 1


def failed_before(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.fails_with(Permanent("DeletionRefused", "it is protected"))
    stage.reconcile()
    stage.reconcile()
    assert len(stage.cloud.asked) == 1


def annotate(stage: Stage) -> None:
    change = {"metadata": {"annotations": {"kata.peerpods.io/retry": "now"}}}
    stage.client.merge_patch(PeerPod, Key(TENANT, "one"), change)


def edit_secret(stage: Stage) -> None:
    stage.client.merge_patch(Secret, Key(SYSTEM, "peer-pods-secret"), {"data": {"KEY": "bmV3LWtleQ=="}})


def edit_config_map(stage: Stage) -> None:
    stage.client.merge_patch(ConfigMap, Key(SYSTEM, "peer-pods-cm"), {"data": {"OTHER": "1"}})


def edit_spec(stage: Stage) -> None:
    stage.client.merge_patch(PeerPod, Key(TENANT, "one"), {"spec": {"cloudProvider": ""}})


@pytest.mark.parametrize("change", [annotate, edit_secret, edit_config_map, edit_spec, Stage.restart])
def test_it_is_tried_at_once_when_that_may_help(stage: Stage, change: Callable[[Stage], None]) -> None:
    failed_before(stage)

    change(stage)
    stage.reconcile()

    assert stage.find() is None


def test_the_status_says_how_often_it_was_tried_and_why_it_failed(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.always(Permanent("DeletionRefused", "x" * 3000))

    for _ in range(3):
        stage.clock.wait(stage.reconcile() or 0.0)

    status = stage.get().status
    assert (status.attempts, len(status.last_error), status.observed_generation) == (3, 1024, 2)
    assert status.last_attempt_time is not None
    assert (stage.now() - status.last_attempt_time).total_seconds() == pytest.approx(600, abs=2)


def test_the_attempts_are_counted_by_how_they_ended(stage: Stage) -> None:
    stage.add_settings()
    stage.add()
    stage.delete()
    stage.cloud.fails_with(Permanent("DeletionRefused", "it is protected"))
    stage.clock.wait(stage.reconcile() or 0.0)
    stage.reconcile()

    def count(outcome: str) -> float | None:
        labels = {"provider": "test", "outcome": outcome}
        return stage.metrics.get_sample_value("peerpods_vm_deletions_total", labels)

    assert (count("DeletionRefused"), count("Accepted")) == (1, 1)
    assert stage.metrics.get_sample_value("peerpods_vm_deletion_seconds_count", {"provider": "test"}) == 2
