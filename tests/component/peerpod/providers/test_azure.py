"""What is Azure's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controllers.peerpod.provider import (
    AuthFailed,
    CloudProvider,
    Gone,
    Hints,
    InProgress,
    Permanent,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
)
from tests.component.peerpod.providers.fake_cloud import RESET, Answer, FakeCloud
from tests.component.peerpod.providers.stages import Stage, azure_stage

LIMIT_SECONDS = 60.0


@pytest.fixture
def stage(cloud: FakeCloud) -> Stage:
    return azure_stage(cloud)


@pytest.fixture
def provider(stage: Stage) -> Iterator[CloudProvider]:
    made = stage.provider()
    yield made
    made.close()


def _failure(provider: CloudProvider, stage: Stage) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS)
    assert stage.settings["AZURE_CLIENT_SECRET"] not in str(failed.value)
    return failed.value


def test_subscription_and_group_are_those_of_the_id_in_any_case(provider: CloudProvider, stage: Stage) -> None:
    shouted = stage.instance_id.replace("resourceGroups", "RESOURCEGROUPS").replace("Microsoft", "microsoft")
    stage.cloud.answer("GET", stage.path, stage.error(404, "ResourceNotFound"))

    assert provider.delete(shouted, Hints(), LIMIT_SECONDS) == Gone()
    assert stage.cloud.asked_of("GET", stage.path) == 1


def test_a_group_that_is_gone_has_taken_the_vm_with_it(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.error(404, "ResourceGroupNotFound"))

    assert provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS) == Gone()


def test_a_subscription_that_the_credential_cannot_see_proves_nothing(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.error(404, "SubscriptionNotFound"))

    assert type(_failure(provider, stage)) is AuthFailed


def test_a_deletion_that_had_nothing_to_do_is_gone(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, Answer(204))

    assert provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS) == Gone()


def test_a_vm_that_is_locked_needs_a_person(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.error(409, "ScopeLocked"))

    failed = _failure(provider, stage)

    assert isinstance(failed, Permanent)
    assert failed.reason == "DeletionRefused"


@pytest.mark.parametrize("status", [400, 401])
def test_a_wrong_secret_is_refused_by_the_authority(provider: CloudProvider, stage: Stage, status: int) -> None:
    told = {"error": "invalid_client", "error_description": "AADSTS7000215: azure-client-secret is wrong"}
    stage.cloud.answer("POST", stage.token_path, Answer(status, told))

    failed = _failure(provider, stage)

    assert type(failed) is AuthFailed
    assert "AADSTS7000215" in str(failed)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(503, "busy"), Transient),
        (RESET, Transient),
        (Answer(429, {"error": "slow down"}, {"Retry-After": "9"}), Throttled),
    ],
)
def test_an_authority_that_is_unwell_says_nothing_of_the_credential(
    provider: CloudProvider, stage: Stage, answer: Answer, expected: type[ProviderError]
) -> None:
    stage.cloud.answer("POST", stage.token_path, answer)

    assert type(_failure(provider, stage)) is expected
    assert stage.cloud.asked_of("POST", stage.token_path) == 1


def test_a_rotated_secret_is_a_new_provider_that_works(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm(state="Deleting"))
    issued = Answer(200, {"token_type": "Bearer", "expires_in": 3600, "access_token": "t"})
    stage.cloud.answer("POST", stage.token_path, Answer(401, {"error": "invalid_client"}), issued)

    assert type(_failure(provider, stage)) is AuthFailed
    rotated = stage.provider(AZURE_CLIENT_SECRET="new-secret")

    assert rotated.delete(stage.instance_id, Hints(), LIMIT_SECONDS) == InProgress(15.0)
    assert "new-secret" in stage.cloud.asked[-2].body
    rotated.close()


def test_without_a_secret_the_identity_of_the_pod_is_used(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("token-of-the-pod")
    monkeypatch.setenv("AZURE_FEDERATED_TOKEN_FILE", str(tmp_path / "token"))
    stage.cloud.answer("GET", stage.path, stage.error(404, "ResourceNotFound"))
    provider = stage.provider(AZURE_CLIENT_SECRET="")

    assert provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS) == Gone()
    assert any("token-of-the-pod" in asked.body for asked in stage.cloud.asked)
    provider.close()


def test_without_a_secret_and_without_an_identity_the_secret_is_missing(stage: Stage) -> None:
    with pytest.raises(SettingsMissing, match="AZURE_CLIENT_SECRET"):
        stage.provider(AZURE_CLIENT_SECRET="")
