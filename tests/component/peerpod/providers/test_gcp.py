"""What is Google's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controllers.peerpod.provider import (
    AuthFailed,
    Busy,
    CloudProvider,
    Gone,
    Hints,
    Permanent,
    ProviderError,
    SettingsMissing,
    Throttled,
)
from tests.component.peerpod.providers.fake_cloud import Answer, FakeCloud
from tests.component.peerpod.providers.stages import Stage, gcp_stage

LIMIT_SECONDS = 60.0
OPERATION = "/compute/v1/projects/pods/zones/europe-west1-b/operations/operation-1"


@pytest.fixture
def stage(cloud: FakeCloud) -> Stage:
    return gcp_stage(cloud)


@pytest.fixture
def provider(stage: Stage) -> Iterator[CloudProvider]:
    made = stage.provider()
    yield made
    made.close()


def _failure(provider: CloudProvider, stage: Stage) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS)
    return failed.value


@pytest.mark.parametrize(
    ("status", "reason", "expected"),
    [
        (403, "rateLimitExceeded", Throttled),
        (403, "userRateLimitExceeded", Throttled),
        (403, "quotaExceeded", Throttled),
        (403, "forbidden", AuthFailed),
        (400, "resourceNotReady", Busy),
        (412, "conditionNotMet", Busy),
    ],
)
def test_the_reason_says_more_than_the_status(
    provider: CloudProvider, stage: Stage, status: int, reason: str, expected: type[ProviderError]
) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.error(status, reason))

    assert type(_failure(provider, stage)) is expected


def test_the_operation_is_asked_once_and_its_error_is_told(provider: CloudProvider, stage: Stage) -> None:
    failed = {
        "name": "operation-1",
        "status": "DONE",
        "httpErrorStatusCode": 400,
        "httpErrorMessage": "BAD REQUEST",
        "error": {"errors": [{"code": "INVALID_USAGE", "message": "protected against deletion"}]},
    }
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.accepted)
    stage.cloud.answer("GET", OPERATION, Answer(200, failed))

    error = _failure(provider, stage)

    assert isinstance(error, Permanent)
    assert "protected against deletion" in str(error)
    assert stage.cloud.asked_of("GET", OPERATION) == 1


@pytest.mark.parametrize("credentials", ["nonsense hunter2", "{}", "[]", '{"type": "service_account"}'])
def test_credentials_that_are_none_are_refused_without_being_quoted(stage: Stage, credentials: str) -> None:
    with pytest.raises(AuthFailed) as refused:
        stage.provider(GCP_CREDENTIALS=credentials)

    assert credentials not in str(refused.value)


def test_without_credentials_the_identity_of_the_machine_is_used(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "account.json").write_text(stage.settings["GCP_CREDENTIALS"])
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
    stage.cloud.answer("GET", stage.path, stage.error(404, "notFound"))
    provider = stage.provider(GCP_CREDENTIALS="")

    assert provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS) == Gone()
    provider.close()


def test_without_credentials_and_without_an_identity_they_are_missing(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "nowhere.json"))
    provider = stage.provider(GCP_CREDENTIALS="")

    assert isinstance(_failure(provider, stage), SettingsMissing)
    provider.close()
